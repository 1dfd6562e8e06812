//! Computes hashes: few at a time, with memory that returns to the system at once.

use std::{
    collections::TryReserveError,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use argon2::{
    ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version,
    password_hash::phc::{self, Output, ParamsString, Salt},
};
use subtle::ConstantTimeEq;
use thiserror::Error;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task,
};

/// A password could not be hashed.
#[derive(Debug, Error)]
pub enum HashError {
    /// The maximum number of requests already waits for a hash.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// Argon2 itself failed, for example because memory was short.
    #[error("argon2 failed: {0}")]
    Failed(String),
}

/// The maximum number of requests already waits for a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("too many passwords are being checked at the moment")]
pub struct Busy;

impl Busy {
    /// The time to wait before a retry: by then, all requests that wait now have had
    /// their turn.
    pub const RETRY_AFTER: Duration = Duration::from_secs(5);
}

/// Limits how many hashes are computed at a time, and how many requests wait.
pub(crate) struct HashingQueue {
    at_work: Arc<Semaphore>,
    at_a_time: usize,
    waiting: AtomicUsize,
    max_waiting: usize,
}

/// A permit to compute one hash.
#[derive(Debug)]
pub(crate) struct HashingPermit {
    _permit: OwnedSemaphorePermit,
}

impl HashingQueue {
    pub(crate) fn new(at_a_time: usize, max_waiting: usize) -> Self {
        Self {
            at_work: Arc::new(Semaphore::new(at_a_time)),
            at_a_time,
            waiting: AtomicUsize::new(0),
            max_waiting,
        }
    }

    /// Waits for a permit to compute a hash.
    pub(crate) async fn permit(&self) -> Result<HashingPermit, Busy> {
        let _slot = Slot::take(&self.waiting, self.max_waiting).ok_or(Busy)?;
        let permit = Arc::clone(&self.at_work).acquire_owned().await;
        Ok(HashingPermit {
            _permit: permit.expect("the semaphore is never closed"),
        })
    }

    /// Returns the number of hashes that are being computed.
    pub(crate) fn at_work(&self) -> usize {
        self.at_a_time
            .saturating_sub(self.at_work.available_permits())
    }

    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.at_work.available_permits()
    }
}

impl fmt::Debug for HashingQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HashingQueue").finish_non_exhaustive()
    }
}

impl HashingPermit {
    /// Computes on a thread that serves no requests. The work goes on when the request is
    /// cancelled, so it holds the permit until it ends: clients who disconnect cannot
    /// start more hashes than there are permits.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashError> {
        let work = move || {
            let result = work();
            drop(self);
            result
        };
        task::spawn_blocking(work)
            .await
            .map_err(|error| HashError::Failed(error.to_string()))
    }
}

/// The slot of one of a bounded number of waiting requests, released when dropped.
pub(crate) struct Slot<'a>(&'a AtomicUsize);

impl<'a> Slot<'a> {
    pub(crate) fn take(taken: &'a AtomicUsize, max: usize) -> Option<Self> {
        // Created before the comparison, so that a waiter beyond the limit is released.
        let slot = Self(taken);
        (taken.fetch_add(1, Ordering::Relaxed) < max).then_some(slot)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The PHC string of a password, with Argon2's default parameters (19 MiB, two
/// passes, one lane; the OWASP minimum).
pub(crate) fn hash_argon2id(password: &[u8], salt: [u8; 16]) -> Result<String, HashError> {
    let params = Params::default();
    let length = Params::DEFAULT_OUTPUT_LEN;
    let output = compute(params.clone(), password, &salt, length)?;
    let failed = |error: argon2::password_hash::Error| HashError::Failed(error.to_string());
    let broken = |error: phc::Error| HashError::Failed(error.to_string());
    let hash = phc::PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params).map_err(failed)?,
        salt: Some(Salt::new(&salt).map_err(broken)?),
        hash: Some(Output::new(&output).map_err(broken)?),
    };
    Ok(hash.to_string())
}

/// Returns whether this PHC string of Argon2id, version 19, matches the password. A
/// string that cannot be parsed matches no password.
pub(crate) fn verify_argon2id(stored: &str, password: &[u8]) -> bool {
    let Ok(stored) = phc::PasswordHash::new(stored) else {
        return false;
    };
    let (Ok(params), Some(salt), Some(expected)) =
        (Params::try_from(&stored), &stored.salt, &stored.hash)
    else {
        return false;
    };
    let computed = compute(params, password, salt.as_ref(), expected.len());
    computed.is_ok_and(|computed| computed.ct_eq(expected.as_bytes()).into())
}

fn compute(
    params: Params,
    password: &[u8],
    salt: &[u8],
    length: usize,
) -> Result<Vec<u8>, HashError> {
    let mut memory = memory_for(&params).map_err(|error| HashError::Failed(error.to_string()))?;
    let mut output = vec![0; length];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(password, salt, &mut output, &mut memory)
        .map_err(|error| HashError::Failed(error.to_string()))?;
    Ok(output)
}

/// Memory that returns to the system as soon as it is dropped.
///
/// glibc keeps freed memory in one of eight heaps per core, which it picks by thread:
/// 2,000 wrong passwords left some 300 MiB in them. glibc never takes an allocation above
/// 32 MiB from a heap (mallopt(3), `M_MMAP_THRESHOLD`), so this allocates more than is
/// used; untouched pages take no memory.
fn memory_for(params: &Params) -> Result<Vec<Block>, TryReserveError> {
    const NEVER_FROM_A_HEAP: usize = (33 << 20) / Block::SIZE;
    let needed = params.block_count();
    let mut memory = Vec::new();
    memory.try_reserve_exact(needed.max(NEVER_FROM_A_HEAP))?;
    memory.resize(needed, Block::new());
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use argon2::{PasswordHasher, PasswordVerifier};

    use super::*;

    #[test]
    fn hashes_are_the_ones_that_the_library_makes_by_itself() {
        let ours = hash_argon2id("pässword".as_bytes(), [7; 16]).unwrap();
        let theirs: phc::PasswordHash = Argon2::default()
            .hash_password_with_salt("pässword".as_bytes(), &[7; 16])
            .unwrap();
        assert_eq!(ours, theirs.to_string());
        let parsed = phc::PasswordHash::new(&ours).unwrap();
        let verified = Argon2::default().verify_password("pässword".as_bytes(), &parsed);
        assert_eq!(verified, Ok(()));
        assert!(verify_argon2id(&ours, "pässword".as_bytes()));
        assert!(!verify_argon2id(&ours, b"passwort"));
    }

    #[test]
    fn hashes_with_other_costs_and_lengths_are_recognised() {
        let params = Params::new(64, 3, 2, Some(24)).unwrap();
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: phc::PasswordHash = argon2
            .hash_password_with_salt(b"secret", b"some salt")
            .unwrap();
        assert!(verify_argon2id(&hash.to_string(), b"secret"));
        assert!(!verify_argon2id(&hash.to_string(), b"Secret"));
        assert!(!verify_argon2id("$argon2id$v=19$m=64,t=3,p=2", b"secret"));
    }

    #[tokio::test]
    async fn who_hangs_up_keeps_the_permit_until_the_hash_is_computed() {
        let queue = HashingQueue::new(1, 10);
        let (begun, has_begun) = mpsc::channel();
        let (end, may_end) = mpsc::channel::<()>();
        let permit = queue.permit().await.unwrap();
        let request = tokio::spawn(permit.run(move || {
            begun.send(()).unwrap();
            may_end.recv().unwrap();
        }));
        task::spawn_blocking(move || has_begun.recv().unwrap())
            .await
            .unwrap();
        request.abort();
        assert!(request.await.unwrap_err().is_cancelled());
        assert_eq!(queue.free(), 0, "the hash goes on");
        end.send(()).unwrap();
        assert!(queue.permit().await.is_ok());
    }

    #[tokio::test]
    async fn those_who_wait_are_bounded_and_give_their_place_back() {
        let queue = Arc::new(HashingQueue::new(1, 2));
        let at_work = queue.permit().await.unwrap();
        let wait = || {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.permit().await.map(drop) })
        };
        let waiting = [wait(), wait()];
        while queue.waiting.load(Ordering::Relaxed) < 2 {
            task::yield_now().await;
        }
        assert_eq!(queue.permit().await.unwrap_err(), Busy);
        for request in &waiting {
            request.abort();
        }
        for request in waiting {
            assert!(request.await.unwrap_err().is_cancelled());
        }
        drop(at_work);
        assert!(queue.permit().await.is_ok());
    }
}
