//! Requests that clients may send again under a key: the change is made once, and each repetition
//! gets the first answer (draft-ietf-httpapi-idempotency-key-header).
//!
//! The answer to a change of one transaction is stored in it, so a crash leaves neither without the
//! other, and of two requests at once one makes the change. Work of many transactions takes the key
//! first, for a while, and stores its answer at the end.

use std::{fmt, future::Future, sync::Arc, time::Duration};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use slugline_domain::{
    IdempotencyKey, KeptAnswer, KeptRequest, Receipt, RequestClaim,
    ports::{Clock, Insertion, ReceiptStore, StoreError},
};

use crate::{caller::Caller, error::Error};

/// Answers requests that clients may send again.
#[derive(Clone, Debug)]
pub struct Repeats {
    parts: Arc<RepeatsParts>,
}

/// The dependencies of [`Repeats`].
#[derive(Debug)]
pub struct RepeatsParts {
    /// Keeps the answers.
    pub store: Arc<dyn ReceiptStore>,
    /// The secret that all nodes share, so that a stored digest does not tell what a request said.
    pub secret: [u8; 32],
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// A request under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedRequest {
    /// The key.
    pub key: IdempotencyKey,
    /// A digest of everything that the request says: its route and its body.
    pub digest: [u8; 32],
}

/// The answer to a request under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The answer.
    pub answer: KeptAnswer,
    /// `true` if an earlier request got it first.
    pub again: bool,
}

/// Keeps the answer to a request in the transaction of its change, whose outcome is a `T`.
pub struct KeepAnswer<T: ?Sized> {
    claim: RequestClaim,
    answer: Arc<dyn Fn(&T) -> KeptAnswer + Send + Sync>,
}

impl<T: ?Sized + 'static> KeepAnswer<T> {
    /// Keeps the answer for an outcome that is made of another value.
    pub fn of<U: ?Sized + 'static>(
        self,
        outcome: impl Fn(&U) -> Box<T> + Send + Sync + 'static,
    ) -> KeepAnswer<U> {
        let Self { claim, answer } = self;
        KeepAnswer {
            claim,
            answer: Arc::new(move |value| answer(&outcome(value))),
        }
    }

    /// The receipt of a change with this outcome, which is known before the change.
    pub(crate) fn receipt(&self, outcome: &T) -> Receipt {
        let answer = (self.answer)(outcome);
        Receipt::new(self.claim.clone(), move |_| answer.clone())
    }

    /// The receipt of a change whose outcome follows from what became of its links.
    pub(crate) fn receipt_of(
        self,
        outcome: impl Fn(&[Insertion]) -> Box<T> + Send + Sync + 'static,
    ) -> Receipt {
        let KeepAnswer { claim, answer } = self.of(outcome);
        Receipt::new(claim, move |outcomes| answer(outcomes))
    }
}

impl<T: ?Sized> Clone for KeepAnswer<T> {
    fn clone(&self) -> Self {
        Self {
            claim: self.claim.clone(),
            answer: Arc::clone(&self.answer),
        }
    }
}

impl<T: ?Sized> fmt::Debug for KeepAnswer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keep").field(&self.claim).finish()
    }
}

/// What is known about a key.
enum Known {
    /// It is free.
    Free(RequestClaim),
    /// The request was answered.
    Answered(KeptAnswer),
}

impl Repeats {
    /// The time for which work of many transactions takes a key. If its process dies, the key is
    /// free again after it.
    pub const LEASE: Duration = Duration::from_mins(2);

    /// The longest time for which a repetition waits for work that runs: most of it ends long before
    /// its lease.
    pub const WAIT: Duration = Duration::from_secs(5);

    /// The most answers that [`Self::remove_old`] removes in one transaction: each may have
    /// megabytes, which the transaction of a file writes into its log.
    pub const PIECE: u32 = 100;

    /// Creates the use case from its dependencies.
    pub fn new(parts: RepeatsParts) -> Self {
        Self {
            parts: Arc::new(parts),
        }
    }

    /// Makes a change of one transaction, or answers as the request was answered before. `is_kept`
    /// tells if an outcome was stored with its answer. A failure keeps nothing, so a repetition
    /// tries again.
    ///
    /// # Errors
    /// The key belongs to another request, the first one runs, or the change failed.
    pub async fn once<T, F>(
        &self,
        caller: &Caller,
        request: &KeyedRequest,
        answer: impl Fn(&T) -> KeptAnswer + Send + Sync + 'static,
        is_kept: impl FnOnce(&T) -> bool,
        change: impl FnOnce(KeepAnswer<T>) -> F,
    ) -> Result<Repeated, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let claim = match self.look(caller, request).await? {
            Known::Free(claim) => claim,
            Known::Answered(answer) => return Ok(again(answer)),
        };
        let answer: Arc<dyn Fn(&T) -> KeptAnswer + Send + Sync> = Arc::new(answer);
        let keep = KeepAnswer {
            claim: claim.clone(),
            answer: Arc::clone(&answer),
        };
        let failure = match change(keep).await {
            Ok(outcome) => {
                let said = answer(&outcome);
                // An outcome that changed nothing was not stored with anything.
                let is_first =
                    is_kept(&outcome) || self.parts.store.keep(&claim, &said, None).await?;
                if is_first {
                    return Ok(first(said));
                }
                StoreError::KeyInUse.into()
            }
            Err(error) => error,
        };
        // The same request may have come twice at once. Then the other one was first, and may have
        // caused any failure: its link has the slug, or is another version.
        match (self.look(caller, request).await, failure) {
            (Ok(Known::Answered(answer)), _) => Ok(again(answer)),
            (Ok(Known::Free(_)), Error::Store(StoreError::KeyInUse)) => Err(Error::KeyBusy {
                retry_after: Duration::ZERO,
            }),
            (Err(error), Error::Store(StoreError::KeyInUse)) | (_, error) => Err(error),
        }
    }

    /// Does work of many transactions that may be repeated without harm, or answers as the request
    /// was answered before. `is_final` tells if a repetition would do no more.
    ///
    /// # Errors
    /// The key belongs to another request, the first one runs, or the work failed as a whole.
    pub async fn once_at_length<T, F>(
        &self,
        caller: &Caller,
        request: &KeyedRequest,
        answer: impl FnOnce(&T) -> KeptAnswer + Send,
        is_final: impl FnOnce(&T) -> bool + Send,
        work: impl FnOnce() -> F + Send,
    ) -> Result<Repeated, Error>
    where
        F: Future<Output = Result<T, Error>> + Send,
    {
        let claim = match self.look(caller, request).await? {
            Known::Free(claim) => claim,
            Known::Answered(answer) => return Ok(again(answer)),
        };
        let store = &self.parts.store;
        let until = claim.at.later(Self::LEASE);
        if !store.take(&claim, until).await? {
            return match self.look(caller, request).await? {
                Known::Answered(answer) => Ok(again(answer)),
                Known::Free(_) => Err(Error::KeyBusy {
                    retry_after: Duration::ZERO,
                }),
            };
        }
        let done = work().await;
        let done = done.map(|outcome| (is_final(&outcome), answer(&outcome)));
        // What was done stays done if this fails, and the key is free when its time is over.
        let _ = match &done {
            Ok((true, answer)) => store.keep(&claim, answer, Some(until)).await.map(drop),
            Ok((false, _)) | Err(_) => store.release(&claim, until).await,
        };
        done.map(|(_, answer)| first(answer))
    }

    /// Removes some of the answers that are forgotten. Returns whether more may be left. Several
    /// nodes may do this at once.
    ///
    /// # Errors
    /// The store failed.
    pub async fn remove_old(&self) -> Result<bool, StoreError> {
        let now = self.parts.clock.now();
        let removed = self.parts.store.remove_free(now, Self::PIECE).await?;
        Ok(removed == u64::from(Self::PIECE))
    }

    async fn look(&self, caller: &Caller, request: &KeyedRequest) -> Result<Known, Error> {
        let parts = &self.parts;
        let now = parts.clock.now();
        let claim = RequestClaim {
            caller: caller.identity(),
            key: request.key.clone(),
            fingerprint: self.fingerprint(caller, request),
            at: now,
        };
        let kept = parts.store.kept(&claim.caller, &claim.key, now).await?;
        match kept {
            None => Ok(Known::Free(claim)),
            Some(kept) if kept.fingerprint != claim.fingerprint => Err(Error::KeyReused),
            Some(KeptRequest {
                answer: Some(answer),
                ..
            }) => Ok(Known::Answered(answer)),
            Some(KeptRequest { until, .. }) => {
                let left = until.get().saturating_sub(now.get());
                let left = Duration::from_millis(left.try_into().unwrap_or(0));
                Err(Error::KeyBusy {
                    retry_after: left.min(Self::WAIT),
                })
            }
        }
    }

    fn fingerprint(&self, caller: &Caller, request: &KeyedRequest) -> [u8; 32] {
        let mac = Hmac::<Sha256>::new_from_slice(&self.parts.secret);
        let mut mac = mac.expect("HMAC takes keys of any length");
        mac.update(caller.identity().as_bytes());
        mac.update(&[0]);
        mac.update(&request.digest);
        mac.finalize().into_bytes().into()
    }
}

fn first(answer: KeptAnswer) -> Repeated {
    Repeated {
        answer,
        again: false,
    }
}

fn again(answer: KeptAnswer) -> Repeated {
    Repeated {
        answer,
        again: true,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use slugline_domain::UnixMillis;
    use slugline_storage::SqlLinkStore;
    use slugline_testkit::{FixedClock, LinksFile, NOON, assert_matches};

    use super::*;
    use crate::links::fixture::opened;

    struct Fixture {
        repeats: Repeats,
        store: Arc<SqlLinkStore>,
        _file: LinksFile,
        clock: Arc<FixedClock>,
        done: AtomicU32,
    }

    fn fixture() -> Fixture {
        let file = LinksFile::new();
        let store = opened(&file);
        let clock = Arc::new(FixedClock::at(NOON));
        let parts = RepeatsParts {
            store: store.clone(),
            secret: [1; 32],
            clock: clock.clone(),
        };
        Fixture {
            repeats: Repeats::new(parts),
            store,
            _file: file,
            clock,
            done: AtomicU32::new(0),
        }
    }

    fn request(key: &str, digest: u8) -> KeyedRequest {
        KeyedRequest {
            key: key.parse().unwrap(),
            digest: [digest; 32],
        }
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "answers are made of borrowed outcomes"
    )]
    fn said(number: &u32) -> KeptAnswer {
        KeptAnswer {
            status: 200,
            entity_tag: None,
            body: number.to_string(),
        }
    }

    impl Fixture {
        /// Answers with the number of times that something was done.
        async fn once(&self, request: &KeyedRequest) -> Result<Repeated, Error> {
            let work = async || Ok(self.done.fetch_add(1, Ordering::Relaxed) + 1);
            self.once_does(request, work).await
        }

        #[expect(clippy::future_not_send, reason = "tests run it on one thread")]
        async fn once_does(
            &self,
            request: &KeyedRequest,
            work: impl AsyncFn() -> Result<u32, Error>,
        ) -> Result<Repeated, Error> {
            let (repeats, work) = (&self.repeats, |_| work());
            repeats
                .once(&Caller::Site, request, said, |_| false, work)
                .await
        }

        async fn at_length(
            &self,
            request: &KeyedRequest,
            is_final: bool,
        ) -> Result<Repeated, Error> {
            let work = async || Ok(self.done.fetch_add(1, Ordering::Relaxed) + 1);
            let (repeats, caller) = (&self.repeats, Caller::Site);
            repeats
                .once_at_length(&caller, request, said, |_| is_final, work)
                .await
        }
    }

    #[tokio::test]
    async fn a_repetition_gets_the_first_answer_for_a_day() {
        let fixture = fixture();
        let asked = request("k", 1);
        assert_eq!(fixture.once(&asked).await.unwrap(), first(said(&1)));
        assert_eq!(fixture.once(&asked).await.unwrap(), again(said(&1)));
        let other_key = request("l", 1);
        assert_eq!(fixture.once(&other_key).await.unwrap(), first(said(&2)));
        assert_matches!(fixture.once(&request("k", 2)).await, Err(Error::KeyReused));
        fixture.clock.advance_seconds(24 * 60 * 60);
        let late = fixture.once(&request("k", 2)).await;
        assert_eq!(late.unwrap(), first(said(&3)));
    }

    #[tokio::test]
    async fn a_failure_keeps_nothing() {
        let fixture = fixture();
        let asked = request("k", 1);
        let failed = fixture.once_does(&asked, async || Err(Error::KeyReused));
        assert!(failed.await.is_err());
        assert_eq!(fixture.once(&asked).await.unwrap(), first(said(&1)));
    }

    #[tokio::test]
    async fn of_two_at_once_the_second_answers_as_the_first() {
        let fixture = fixture();
        let asked = request("k", 1);
        let overtaken = fixture.once_does(&asked, async || {
            fixture.once(&asked).await?;
            Err(Error::Store(StoreError::KeyInUse))
        });
        assert_eq!(overtaken.await.unwrap(), again(said(&1)));
    }

    #[tokio::test]
    async fn who_was_overtaken_by_the_same_request_fails_for_no_other_reason() {
        let fixture = fixture();
        let asked = request("k", 1);
        let attempt = async |first_one: Option<&KeyedRequest>| {
            let change = async || {
                if let Some(request) = first_one {
                    fixture.once(request).await?;
                }
                Err(Error::IdTaken("x".parse().unwrap()))
            };
            fixture.once_does(&asked, change).await
        };
        for other in [None, Some(&request("l", 1)), Some(&request("k", 2))] {
            assert_matches!(attempt(other).await, Err(Error::IdTaken(_)));
            fixture.clock.advance_seconds(24 * 60 * 60);
        }
        assert_eq!(attempt(Some(&asked)).await.unwrap(), again(said(&3)));
    }

    #[tokio::test]
    async fn long_work_is_refused_while_it_runs_and_its_key_is_free_after_a_crash() {
        let fixture = fixture();
        let asked = request("k", 1);
        let busy = async || fixture.at_length(&asked, true).await;
        let long = async || {
            let Err(Error::KeyBusy { retry_after }) = busy().await else {
                panic!("the first one runs");
            };
            assert_eq!(retry_after, Repeats::WAIT);
            Ok(9)
        };
        let repeats = &fixture.repeats;
        let outer = repeats.once_at_length(&Caller::Site, &asked, said, |_| true, long);
        assert_eq!(outer.await.unwrap(), first(said(&9)));
        assert_eq!(busy().await.unwrap(), again(said(&9)));

        let not_final = request("l", 1);
        for number in 1..=2 {
            let done = fixture.at_length(&not_final, false).await;
            assert_eq!(done.unwrap(), first(said(&number)));
        }

        let died = request("m", 1);
        let Ok(Known::Free(claim)) = fixture.repeats.look(&Caller::Site, &died).await else {
            panic!("the key is free");
        };
        let until = claim.at.later(Repeats::LEASE);
        assert!(fixture.store.take(&claim, until).await.unwrap());
        let refused = fixture.at_length(&died, true).await;
        assert_matches!(refused, Err(Error::KeyBusy { .. }));
        fixture.clock.advance_seconds(120);
        let done = fixture.at_length(&died, true).await;
        assert_eq!(done.unwrap(), first(said(&3)));
    }

    #[tokio::test]
    async fn forgotten_answers_are_removed() {
        let fixture = fixture();
        fixture.once(&request("k", 1)).await.unwrap();
        fixture.clock.advance_seconds(24 * 60 * 60);
        assert!(!fixture.repeats.remove_old().await.unwrap());
        let left = fixture.store.remove_free(UnixMillis::new(i64::MAX), 9);
        assert_eq!(left.await.unwrap(), 0);
    }

    #[test]
    fn the_digest_of_a_request_is_keyed_by_the_secret_and_the_caller() {
        let asked = request("k", 1);
        let fixture = fixture();
        let digest = fixture.repeats.fingerprint(&Caller::Site, &asked);
        assert_ne!(digest, asked.digest);
        let by_another = fixture.repeats.fingerprint(&Caller::Operator, &asked);
        assert_ne!(digest, by_another);
        let parts = RepeatsParts {
            store: fixture.store.clone(),
            secret: [2; 32],
            clock: fixture.clock.clone(),
        };
        let elsewhere = Repeats::new(parts).fingerprint(&Caller::Site, &asked);
        assert_ne!(digest, elsewhere);
    }
}
