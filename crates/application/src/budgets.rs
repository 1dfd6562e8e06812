//! The budgets of named tokens: what one of them may take of what all callers share.
//!
//! The site token and the operator have none. A budget remembers a token only while a request
//! uses it, so it takes no more memory than there are requests.

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    hash::Hash,
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use slugline_domain::{
    AccessRow, AccessRows, SamplingNote, StoredVisit, TokenName, VisitColumn, VisitRows,
    ports::VisitLogError,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{
    caller::{Caller, Excess},
    error::Error,
};

/// The budgets of questions to the access log and of exports.
#[derive(Debug)]
pub(crate) struct LogBudget {
    questions: KeyPermits<TokenName>,
    exports: KeyPermits<TokenName>,
    /// The time limit of a question, with its wait.
    limit: Duration,
}

impl LogBudget {
    /// Questions of a token, with those that wait.
    const QUESTIONS: usize = 256;

    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            questions: KeyPermits::new(1, Self::QUESTIONS),
            exports: KeyPermits::new(1, 1),
            limit,
        }
    }

    /// Asks the log for the caller. A token's questions wait here for each other, not in the queue
    /// of the log, where they would take the turns of other callers.
    pub(crate) async fn ask<T>(
        &self,
        caller: &Caller,
        action: &'static str,
        question: impl Future<Output = Result<T, VisitLogError>>,
    ) -> Result<T, Error> {
        let Some(token) = caller.token() else {
            return Ok(question.await?);
        };
        let limit = self.limit;
        let asked = timeout(limit, async {
            let turn = self.questions.wait(token).await;
            let _turn = turn.ok_or_else(|| Error::TokenBusy(Excess::Questions))?;
            Ok(question.await?)
        });
        let too_slow = |_| VisitLogError::TooSlow { action, limit };
        asked.await.map_err(too_slow)?
    }

    /// Admits an export of the caller, until the result is dropped.
    pub(crate) fn export(&self, caller: &Caller) -> Result<Held, Error> {
        Held::of(&self.exports, caller, Excess::Exports)
    }
}

/// Part of a token's budget, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    _share: Option<KeyPermit<TokenName>>,
}

impl Held {
    /// Takes a share for the caller if one is free.
    pub(crate) fn of(
        shares: &KeyPermits<TokenName>,
        caller: &Caller,
        excess: Excess,
    ) -> Result<Self, Error> {
        let take = |token| shares.take(token).ok_or(Error::TokenBusy(excess));
        let share = caller.token().map(take).transpose()?;
        Ok(Self { _share: share })
    }
}

/// Rows of an export that hold part of a budget until they are dropped.
#[derive(Debug)]
pub(crate) struct HeldRows<R> {
    rows: R,
    _held: Held,
}

impl<R> HeldRows<R> {
    pub(crate) fn new(rows: R, held: Held) -> Self {
        Self { rows, _held: held }
    }
}

#[async_trait]
impl AccessRows for HeldRows<Box<dyn AccessRows>> {
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError> {
        self.rows.next().await
    }

    fn sampling(&self) -> SamplingNote {
        self.rows.sampling()
    }
}

#[async_trait]
impl VisitRows for HeldRows<Box<dyn VisitRows>> {
    fn columns(&self) -> &'static [VisitColumn] {
        self.rows.columns()
    }

    async fn next(&mut self) -> Result<Vec<StoredVisit>, VisitLogError> {
        self.rows.next().await
    }
}

/// The budget of writes: a number a minute for each token.
#[derive(Clone, Debug, Default)]
pub struct WriteBudget {
    per_minute: Option<NonZeroU32>,
    /// The moment at which a token has its whole budget again.
    whole_at: Arc<Mutex<HashMap<TokenName, Instant>>>,
}

impl WriteBudget {
    const MINUTE: Duration = Duration::from_mins(1);

    /// Lets each token write so many times a minute; `None` sets no limit.
    pub fn new(per_minute: Option<NonZeroU32>) -> Self {
        Self {
            per_minute,
            whole_at: Arc::default(),
        }
    }

    /// Counts writes of the caller. Several writes of one request go through if one would, and
    /// are paid back later.
    ///
    /// # Errors
    /// The caller's token has used up its budget; nothing was counted.
    pub(crate) fn spend(&self, caller: &Caller, writes: usize, now: Instant) -> Result<(), Error> {
        let (Some(per_minute), Some(token)) = (self.per_minute, caller.token()) else {
            return Ok(());
        };
        let writes = u32::try_from(writes).unwrap_or(u32::MAX);
        let one = Self::MINUTE / per_minute.get();
        let mut tokens = self.whole_at.lock().unwrap_or_else(PoisonError::into_inner);
        let whole_at = tokens.get(token).copied().unwrap_or(now).max(now);
        let spent = whole_at.duration_since(now);
        let retry_after = (spent + one).saturating_sub(Self::MINUTE);
        if !retry_after.is_zero() {
            return Err(Error::TooManyWrites {
                per_minute,
                retry_after,
            });
        }
        if spent.is_zero() {
            // Tokens with a whole budget are forgotten.
            tokens.retain(|_, whole_at| *whole_at > now);
        }
        tokens.insert(token.clone(), whole_at + one.saturating_mul(writes));
        Ok(())
    }
}

/// Admits a few requests of each key at a time.
///
/// It remembers a key only while a request of the key holds a share or waits for one, so it
/// takes no more memory than there are requests.
pub(crate) struct KeyPermits<K> {
    each: usize,
    most: usize,
    keys: Arc<Mutex<HashMap<K, Key>>>,
}

struct Key {
    free: Arc<Semaphore>,
    requests: usize,
}

/// A share of a key, given back when it is dropped.
pub(crate) struct KeyPermit<K: Eq + Hash> {
    _permit: OwnedSemaphorePermit,
    _request: Request<K>,
}

/// A request that holds a share or waits for one.
struct Request<K: Eq + Hash> {
    key: K,
    keys: Arc<Mutex<HashMap<K, Key>>>,
}

impl<K: Eq + Hash + Clone + Send + Sync> KeyPermits<K> {
    /// Admits `each` requests of a key at a time; with those that wait, `most`.
    pub(crate) fn new(each: usize, most: usize) -> Self {
        Self {
            each,
            most,
            keys: Arc::default(),
        }
    }

    /// Waits for a share of the key. Returns `None` if too many requests of the key wait.
    pub(crate) async fn wait(&self, key: &K) -> Option<KeyPermit<K>> {
        let (request, free) = self.enter(key)?;
        let permit = free.acquire_owned().await;
        Some(KeyPermit {
            _permit: permit.expect("the semaphore is never closed"),
            _request: request,
        })
    }

    /// Takes a share of the key if one is free.
    pub(crate) fn take(&self, key: &K) -> Option<KeyPermit<K>> {
        let (request, free) = self.enter(key)?;
        Some(KeyPermit {
            _permit: free.try_acquire_owned().ok()?,
            _request: request,
        })
    }

    fn enter(&self, key: &K) -> Option<(Request<K>, Arc<Semaphore>)> {
        let mut keys = locked(&self.keys);
        let entry = keys.entry(key.clone()).or_insert_with(|| Key {
            free: Arc::new(Semaphore::new(self.each)),
            requests: 0,
        });
        if entry.requests >= self.most {
            return None;
        }
        entry.requests += 1;
        let request = Request {
            key: key.clone(),
            keys: Arc::clone(&self.keys),
        };
        Some((request, Arc::clone(&entry.free)))
    }

    /// The number of requests of the key that hold a share or wait for one.
    #[cfg(test)]
    pub(crate) fn requests(&self, key: &K) -> usize {
        locked(&self.keys).get(key).map_or(0, |key| key.requests)
    }
}

impl<K> fmt::Debug for KeyPermits<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPermits").finish_non_exhaustive()
    }
}

impl<K: Eq + Hash> fmt::Debug for KeyPermit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPermit").finish_non_exhaustive()
    }
}

impl<K: Eq + Hash> Drop for Request<K> {
    fn drop(&mut self) {
        let mut keys = locked(&self.keys);
        if let Some(key) = keys.get_mut(&self.key) {
            key.requests -= 1;
            if key.requests == 0 {
                keys.remove(&self.key);
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) mod fixture {
    use slugline_domain::{Reach, Scope, Scopes, TokenRecord};
    use slugline_testkit::NOON;

    use super::*;

    pub(crate) fn token(name: &str) -> Caller {
        Caller::Token(Arc::new(TokenRecord {
            name: TokenName::parse(name).unwrap(),
            digest: [0; 32],
            scopes: Scopes::new([Scope::AnalyticsRead]).unwrap(),
            reach: Reach::Everything,
            expires_at: None,
            created_at: NOON,
            last_used_at: None,
            assistant: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::assert_matches;
    use tokio::{sync::Notify, task};

    use super::{fixture::token, *};

    const HOUR: Duration = Duration::from_hours(1);

    /// Asks a question that ends when it is told to.
    fn ask(
        budget: &Arc<LogBudget>,
        caller: Caller,
        end: &Arc<Notify>,
    ) -> task::JoinHandle<Result<(), Error>> {
        let (budget, end) = (Arc::clone(budget), Arc::clone(end));
        tokio::spawn(async move {
            let question = async {
                end.notified().await;
                Ok(())
            };
            budget.ask(&caller, "count visits", question).await
        })
    }

    async fn answer(budget: &LogBudget, caller: &Caller) -> Result<(), Error> {
        budget.ask(caller, "count visits", async { Ok(()) }).await
    }

    #[tokio::test]
    async fn a_token_asks_one_question_at_a_time_and_keeps_nobody_else_waiting() {
        let budget = Arc::new(LogBudget::new(HOUR));
        let end = Arc::new(Notify::new());
        let (a, b) = (token("a"), token("b"));
        let first = ask(&budget, a.clone(), &end);
        let name = TokenName::parse("a").unwrap();
        while budget.questions.requests(&name) < 1 {
            task::yield_now().await;
        }
        let asking = Arc::clone(&budget);
        let second = tokio::spawn(async move { answer(&asking, &token("a")).await });
        while budget.questions.requests(&name) < 2 {
            task::yield_now().await;
        }
        assert!(answer(&budget, &b).await.is_ok());
        assert!(answer(&budget, &Caller::Site).await.is_ok());
        assert!(answer(&budget, &Caller::Operator).await.is_ok());
        assert!(!second.is_finished());
        end.notify_one();
        assert!(first.await.unwrap().is_ok());
        assert!(second.await.unwrap().is_ok());
        assert_eq!(budget.questions.requests(&name), 0);
    }

    #[tokio::test]
    async fn the_time_limit_of_a_question_includes_its_wait() {
        let budget = Arc::new(LogBudget::new(Duration::from_millis(20)));
        let end = Arc::new(Notify::new());
        let first = ask(&budget, token("a"), &end);
        let second = ask(&budget, token("a"), &end);
        for question in [first, second] {
            let refused = question.await.unwrap();
            assert_matches!(refused, Err(Error::VisitLog(VisitLogError::TooSlow { .. })));
        }
    }

    #[tokio::test]
    async fn a_token_has_one_export_until_it_is_dropped() {
        let budget = LogBudget::new(HOUR);
        let first = budget.export(&token("a")).unwrap();
        let second = budget.export(&token("a"));
        assert_matches!(second, Err(Error::TokenBusy(Excess::Exports)));
        assert!(budget.export(&token("b")).is_ok());
        let site = [budget.export(&Caller::Site), budget.export(&Caller::Site)];
        assert!(site.iter().all(Result::is_ok));
        drop(first);
        assert!(budget.export(&token("a")).is_ok());
    }

    #[test]
    fn a_token_writes_so_often_a_minute_and_others_are_free() {
        let budget = WriteBudget::new(NonZeroU32::new(60));
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let (a, b) = (token("a"), token("b"));
        for _ in 0..60 {
            budget.spend(&a, 1, at(0)).unwrap();
        }
        let refused = budget.spend(&a, 1, at(0));
        assert_matches!(refused, Err(Error::TooManyWrites { retry_after, .. })
            if retry_after == Duration::from_secs(1));
        budget.spend(&a, 1, at(1)).unwrap();
        assert!(budget.spend(&a, 1, at(1)).is_err());
        budget.spend(&b, 1, at(1)).unwrap();
        for caller in [Caller::Site, Caller::Operator] {
            budget.spend(&caller, 1_000, at(1)).unwrap();
            budget.spend(&caller, 1, at(1)).unwrap();
        }
        // A batch goes through and is paid back.
        budget.spend(&a, 120, at(61)).unwrap();
        assert!(budget.spend(&a, 1, at(121)).is_err());
        budget.spend(&a, 1, at(123)).unwrap();
        budget.spend(&b, 1, at(1_000)).unwrap();
        assert_eq!(budget.whole_at.lock().unwrap().len(), 1);
    }

    #[test]
    fn no_limit_is_no_limit() {
        let budget = WriteBudget::new(None);
        for _ in 0..100_000 {
            budget.spend(&token("a"), 500, Instant::now()).unwrap();
        }
    }

    #[tokio::test]
    async fn each_key_has_its_share_and_those_beyond_it_wait() {
        let shares = Arc::new(KeyPermits::new(2, 10));
        let held = [shares.wait(&"a").await, shares.wait(&"a").await];
        assert!(held.iter().all(Option::is_some));
        assert!(shares.take(&"a").is_none());
        assert!(shares.take(&"b").is_some());
        let waiting = {
            let shares = Arc::clone(&shares);
            tokio::spawn(async move { shares.wait(&"a").await.is_some() })
        };
        while shares.requests(&"a") < 3 {
            task::yield_now().await;
        }
        assert!(!waiting.is_finished());
        drop(held);
        assert!(waiting.await.unwrap());
    }

    #[tokio::test]
    async fn only_so_many_wait_and_one_who_leaves_is_forgotten() {
        let shares = Arc::new(KeyPermits::new(1, 2));
        let held = shares.wait(&"a").await;
        let waiting = {
            let shares = Arc::clone(&shares);
            tokio::spawn(async move { shares.wait(&"a").await.is_some() })
        };
        while shares.requests(&"a") < 2 {
            task::yield_now().await;
        }
        assert!(shares.wait(&"a").await.is_none());
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        assert_eq!(shares.requests(&"a"), 1);
        drop(held);
        assert!(locked(&shares.keys).is_empty());
    }
}
