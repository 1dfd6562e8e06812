//! Attempts beyond a limit, one after the other.

use std::{
    fmt,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

use quick_cache::sync::Cache;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until, timeout_at},
};

use crate::{attempts::TooManyAttempts, hashing::Slot};

/// Lets clients beyond a limit try one after the other for each key, with a pause after
/// each wrong attempt.
///
/// A right attempt costs no pause. So any number of visitors who know the password get
/// through, and guessers are slow.
#[derive(Debug)]
pub(crate) struct Turns<K> {
    timeout: Duration,
    lanes: Cache<K, Arc<Lane>>,
}

struct Lane {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// The end of the pause after the last wrong attempt.
    next: Mutex<Option<Instant>>,
}

/// A turn of a key. No other request has a turn until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    lane: Arc<Lane>,
    pause: Duration,
    _permit: OwnedSemaphorePermit,
}

impl<K: Eq + Hash + Clone + Send + Sync> Turns<K> {
    /// The most requests of one key that may wait for their turn.
    const MAX_WAITING: usize = 12;

    /// Lets requests wait this long for their turn, and remembers about this many keys.
    pub(crate) fn new(timeout: Duration, keys: usize) -> Self {
        Self {
            timeout,
            lanes: Cache::new(keys),
        }
    }

    /// Waits for a turn of this key. A wrong attempt will be followed by this pause.
    pub(crate) async fn next(&self, key: &K, pause: Duration) -> Result<Turn, TooManyAttempts> {
        let new_lane = || Ok::<_, std::convert::Infallible>(Arc::default());
        let Ok(lane): Result<Arc<Lane>, _> = self.lanes.get_or_insert_with(key, new_lane);
        let too_many = TooManyAttempts { retry_after: pause };
        let deadline = Instant::now() + self.timeout;
        let slot = Slot::take(&lane.waiting, Self::MAX_WAITING).ok_or(too_many)?;
        let free = Arc::clone(&lane.free).acquire_owned();
        let permit = timeout_at(deadline, free).await.map_err(|_| too_many)?;
        let permit = permit.expect("the semaphore is never closed");
        let next = *lane.next();
        if let Some(next) = next {
            if next > deadline {
                let retry_after = next.duration_since(Instant::now());
                return Err(TooManyAttempts { retry_after });
            }
            sleep_until(next).await;
        }
        drop(slot);
        Ok(Turn {
            lane,
            pause,
            _permit: permit,
        })
    }
}

impl Turn {
    /// Ends the turn of a wrong attempt. Returns the time to wait for the next one.
    pub(crate) fn was_wrong(self) -> TooManyAttempts {
        *self.lane.next() = Some(Instant::now() + self.pause);
        TooManyAttempts {
            retry_after: self.pause,
        }
    }
}

impl Lane {
    fn next(&self) -> MutexGuard<'_, Option<Instant>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            free: Arc::new(Semaphore::new(1)),
            waiting: AtomicUsize::new(0),
            next: Mutex::default(),
        }
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    #[tokio::test]
    async fn a_wrong_attempt_is_followed_by_a_pause_and_a_right_one_is_not() {
        let turns = Turns::new(Duration::from_secs(30), 100);
        for _ in 0..20 {
            drop(turns.next(&"a", HOUR).await.unwrap());
        }
        turns.next(&"a", HOUR).await.unwrap().was_wrong();
        let refused = turns.next(&"a", HOUR).await.unwrap_err();
        assert!(refused.retry_after > HOUR / 2, "{refused}");
        assert!(turns.next(&"b", HOUR).await.is_ok());
    }

    #[tokio::test]
    async fn a_short_pause_is_waited_for() {
        let turns = Turns::new(Duration::from_secs(30), 100);
        let pause = Duration::from_millis(20);
        let begun = Instant::now();
        turns.next(&"a", pause).await.unwrap().was_wrong();
        assert!(turns.next(&"a", pause).await.is_ok());
        assert!(begun.elapsed() >= pause);
    }

    #[tokio::test]
    async fn only_so_many_wait_for_their_turn_and_not_for_ever() {
        let turns = Arc::new(Turns::new(Duration::from_millis(50), 100));
        let first = turns.next(&"a", HOUR).await.unwrap();
        let waiting: Vec<_> = (0..2 * Turns::<&str>::MAX_WAITING)
            .map(|_| {
                let turns = Arc::clone(&turns);
                tokio::spawn(async move { turns.next(&"a", HOUR).await.map(drop) })
            })
            .collect();
        for request in waiting {
            assert!(request.await.unwrap().is_err());
        }
        drop(first);
        assert!(turns.next(&"a", HOUR).await.is_ok());
    }
}
