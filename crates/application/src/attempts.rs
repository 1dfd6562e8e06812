//! Limits on failed attempts of clients, and a queue for attempts beyond a limit.

use std::{
    convert::Infallible,
    hash::Hash,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

use quick_cache::sync::Cache;
use slugline_domain::{ClientNetwork, UnixMillis, measure::Counter};
use thiserror::Error;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until, timeout_at},
};

use crate::hashing::Slot;

/// Limits the failed attempts of each client network on a subject.
///
/// The networks of one site share a second limit, four times as high. It is checked
/// first, so a site that holds 65,536 networks can neither multiply its attempts nor push
/// the failures of other sites out of the table.
#[derive(Debug)]
pub struct ClientLimit<S> {
    networks: FailureLimit<(S, ClientNetwork)>,
    sites: FailureLimit<(S, ClientNetwork)>,
}

impl<S: Eq + Hash + Clone> ClientLimit<S> {
    /// A site's limit, as a multiple of a network's limit.
    const NETWORKS_PER_SITE: u32 = 4;

    /// Allows each network this many failures a minute, remembering about this
    /// many networks and as many sites.
    pub fn new(max_per_minute: u32, remembered: usize) -> Self {
        Self {
            networks: FailureLimit::new(max_per_minute, remembered),
            sites: FailureLimit::new(max_per_minute * Self::NETWORKS_PER_SITE, remembered),
        }
    }

    /// Checks that the client may still fail.
    ///
    /// # Errors
    /// Its network or its site failed too often in the last minute.
    pub fn check(
        &self,
        subject: &S,
        client: ClientNetwork,
        now: UnixMillis,
    ) -> Result<(), TooManyAttempts> {
        self.sites.check(&(subject.clone(), client.site()), now)?;
        self.networks.check(&(subject.clone(), client), now)
    }

    /// Counts a failure.
    ///
    /// # Errors
    /// The client failed too often before; this failure is not counted.
    pub fn count(
        &self,
        subject: &S,
        client: ClientNetwork,
        now: UnixMillis,
    ) -> Result<(), TooManyAttempts> {
        let site = (subject.clone(), client.site());
        self.sites.check(&site, now)?;
        self.networks.count(&(subject.clone(), client), now)?;
        self.sites.count(&site, now)
    }
}

/// Limits the wrong secrets of each client network. Right ones pass however many wrong ones came
/// before: different clients may share an address, and a client cannot guess a secret by trying
/// often.
#[derive(Debug)]
pub(crate) struct SecretLimit {
    failures: ClientLimit<()>,
    /// Wrong ones for which the store was asked. Right ones wait beyond this, which spares it.
    look_ups: ClientLimit<()>,
    turned_away: Counter,
}

impl SecretLimit {
    /// Wrong texts to which a client network is told so in a minute.
    pub(crate) const MAX_FAILURES_PER_MINUTE: u32 = 30;
    /// Wrong ones of a client network for which the store is asked in a minute.
    const MAX_LOOK_UPS_PER_MINUTE: u32 = 3_000;
    /// Client networks that are remembered.
    const REMEMBERED_CLIENTS: usize = 10_000;

    pub(crate) fn new() -> Self {
        let limit = |most| ClientLimit::new(most, Self::REMEMBERED_CLIENTS);
        Self {
            failures: limit(Self::MAX_FAILURES_PER_MINUTE),
            look_ups: limit(Self::MAX_LOOK_UPS_PER_MINUTE),
            turned_away: Counter::default(),
        }
    }

    /// Returns the number of clients that were refused since the start.
    pub(crate) fn turned_away(&self) -> u64 {
        self.turned_away.get()
    }

    /// Checks that the store may be asked about a text of the right form.
    pub(crate) fn may_look(&self, client: IpAddr, now: UnixMillis) -> Result<(), TooManyAttempts> {
        let may_look = self.look_ups.check(&(), ClientNetwork::of(client), now);
        may_look.inspect_err(|_| self.turned_away.count())
    }

    /// Counts a wrong text.
    pub(crate) fn count(&self, client: IpAddr, now: UnixMillis) -> Result<(), TooManyAttempts> {
        let network = ClientNetwork::of(client);
        // Beyond this limit the next look is refused.
        let _ = self.look_ups.count(&(), network, now);
        let counted = self.failures.count(&(), network, now);
        counted.inspect_err(|_| self.turned_away.count())
    }
}

/// Limits failures per key over a sliding minute, for a bounded number of keys. When
/// there are too many keys, it forgets old ones, so that it allows too much rather than
/// too little.
#[derive(Debug)]
pub struct FailureLimit<K> {
    max_per_minute: u32,
    failures: Cache<K, Arc<Mutex<Window>>>,
}

/// Failures of one key, in two adjacent one-minute windows. The older window counts in
/// proportion to its share of the last minute.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    minute: i64,
    current: u32,
    previous: u32,
}

/// Too many wrong attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("too many failed attempts, wait {} seconds", retry_after.as_secs())]
pub struct TooManyAttempts {
    /// The time to wait before the next attempt.
    pub retry_after: Duration,
}

/// The same minute, as the types of moments and of counts.
const MINUTE_MS: i64 = 60_000;
const MINUTE_MS_U64: u64 = 60_000;

impl<K: Eq + Hash + Clone> FailureLimit<K> {
    /// Allows this many failures a minute, remembering about this many keys.
    pub fn new(max_per_minute: u32, keys: usize) -> Self {
        Self {
            max_per_minute,
            failures: Cache::new(keys),
        }
    }

    /// Checks that the key may fail once more.
    ///
    /// # Errors
    /// The key failed too often in the last minute.
    pub fn check(&self, key: &K, now: UnixMillis) -> Result<(), TooManyAttempts> {
        match self.failures.get(key) {
            Some(window) => self.check_window(&mut locked(&window), now),
            None => Ok(()),
        }
    }

    /// Counts a failure.
    ///
    /// # Errors
    /// The key failed too often before; this failure is not counted.
    pub fn count(&self, key: &K, now: UnixMillis) -> Result<(), TooManyAttempts> {
        let new_window = || Ok::<_, Infallible>(Arc::default());
        let Ok(window) = self.failures.get_or_insert_with(key, new_window);
        let mut window = locked(&window);
        self.check_window(&mut window, now)?;
        window.current += 1;
        Ok(())
    }

    fn check_window(&self, window: &mut Window, now: UnixMillis) -> Result<(), TooManyAttempts> {
        *window = window.at(now);
        if window.weight(now) < u64::from(self.max_per_minute) * MINUTE_MS_U64 {
            return Ok(());
        }
        let left = u64::try_from(MINUTE_MS - now.get().rem_euclid(MINUTE_MS)).unwrap_or(0);
        Err(TooManyAttempts {
            retry_after: Duration::from_secs(left.div_ceil(1000)),
        })
    }
}

fn locked(window: &Mutex<Window>) -> MutexGuard<'_, Window> {
    window.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Window {
    fn at(self, now: UnixMillis) -> Self {
        let minute = now.get().div_euclid(MINUTE_MS);
        match minute - self.minute {
            0 => self,
            passed => Self {
                minute,
                current: 0,
                previous: if passed == 1 { self.current } else { 0 },
            },
        }
    }

    /// Failures in the last minute, times the milliseconds in a minute.
    fn weight(self, now: UnixMillis) -> u64 {
        let into = u64::try_from(now.get().rem_euclid(MINUTE_MS)).unwrap_or(0);
        u64::from(self.current) * MINUTE_MS_U64 + u64::from(self.previous) * (MINUTE_MS_U64 - into)
    }
}

/// Lets clients beyond a limit try one after the other for each key, with a pause after
/// each wrong attempt.
///
/// A right attempt costs no pause. So any number of visitors who know the password get
/// through, and guessers are slow.
#[derive(Debug)]
pub(crate) struct AttemptQueue<K> {
    timeout: Duration,
    lanes: Cache<K, Arc<Lane>>,
}

#[derive(Debug)]
struct Lane {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// The end of the pause after the last wrong attempt.
    next: Mutex<Option<Instant>>,
}

/// A turn of a key. No other request has a turn until it is dropped.
#[derive(Debug)]
pub(crate) struct QueuedAttempt {
    lane: Arc<Lane>,
    pause: Duration,
    _permit: OwnedSemaphorePermit,
}

impl<K: Eq + Hash + Clone + Send + Sync> AttemptQueue<K> {
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
    pub(crate) async fn next(
        &self,
        key: &K,
        pause: Duration,
    ) -> Result<QueuedAttempt, TooManyAttempts> {
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
        Ok(QueuedAttempt {
            lane,
            pause,
            _permit: permit,
        })
    }
}

impl QueuedAttempt {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> UnixMillis {
        UnixMillis::new(6_000_000 + seconds * 1000)
    }

    #[test]
    fn failures_are_limited_per_key_and_forgiven_with_time() {
        let limit = FailureLimit::new(3, 100);
        for _ in 0..3 {
            assert_eq!(limit.check(&"a", at(10)), Ok(()));
            assert_eq!(limit.count(&"a", at(10)), Ok(()));
        }
        let denied = limit.check(&"a", at(10)).unwrap_err();
        assert_eq!(denied.retry_after, Duration::from_secs(50));
        assert_eq!(limit.count(&"a", at(10)), Err(denied));
        assert_eq!(limit.check(&"b", at(10)), Ok(()));
        assert!(
            limit.check(&"a", at(60)).is_err(),
            "a new minute does not start afresh"
        );
        assert_eq!(limit.check(&"a", at(61)), Ok(()));
        assert_eq!(limit.check(&"a", at(200)), Ok(()));
    }

    #[test]
    fn checking_counts_nothing() {
        let limit = FailureLimit::new(1, 100);
        for _ in 0..100 {
            assert_eq!(limit.check(&"a", at(1)), Ok(()));
        }
    }

    fn network(text: &str) -> ClientNetwork {
        ClientNetwork::of(text.parse().unwrap())
    }

    #[test]
    fn a_site_of_many_networks_is_limited_as_one() {
        let limit = ClientLimit::new(3, 100);
        let failures = (0..1_000).filter(|i| {
            let client = network(&format!("2001:db8:0:{i:x}::1"));
            limit.count(&(), client, at(1)).is_ok()
        });
        assert_eq!(failures.count(), 12);
        let unused = network("2001:db8:0:ffff::1");
        assert!(limit.check(&(), unused, at(1)).is_err());
        assert_eq!(limit.check(&(), network("2001:db8:1::1"), at(1)), Ok(()));
    }

    #[test]
    fn a_site_cannot_push_the_failures_of_others_out_of_the_table() {
        let limit = ClientLimit::new(3, 100);
        let guesser = network("192.0.2.1");
        for _ in 0..3 {
            assert_eq!(limit.count(&(), guesser, at(1)), Ok(()));
        }
        for i in 0..10_000 {
            let _ = limit.count(&(), network(&format!("2001:db8:0:{i:x}::1")), at(1));
        }
        assert!(limit.check(&(), guesser, at(1)).is_err());
    }

    const HOUR: Duration = Duration::from_hours(1);

    #[tokio::test]
    async fn a_wrong_attempt_is_followed_by_a_pause_and_a_right_one_is_not() {
        let queue = AttemptQueue::new(Duration::from_secs(30), 100);
        for _ in 0..20 {
            drop(queue.next(&"a", HOUR).await.unwrap());
        }
        queue.next(&"a", HOUR).await.unwrap().was_wrong();
        let refused = queue.next(&"a", HOUR).await.unwrap_err();
        assert!(refused.retry_after > HOUR / 2, "{refused}");
        assert!(queue.next(&"b", HOUR).await.is_ok());
    }

    #[tokio::test]
    async fn a_short_pause_is_waited_for() {
        let queue = AttemptQueue::new(Duration::from_secs(30), 100);
        let pause = Duration::from_millis(20);
        let begun = Instant::now();
        queue.next(&"a", pause).await.unwrap().was_wrong();
        assert!(queue.next(&"a", pause).await.is_ok());
        assert!(begun.elapsed() >= pause);
    }

    #[tokio::test]
    async fn only_so_many_wait_for_their_turn_and_not_for_ever() {
        let queue = Arc::new(AttemptQueue::new(Duration::from_millis(50), 100));
        let first = queue.next(&"a", HOUR).await.unwrap();
        let waiting: Vec<_> = (0..2 * AttemptQueue::<&str>::MAX_WAITING)
            .map(|_| {
                let queue = Arc::clone(&queue);
                tokio::spawn(async move { queue.next(&"a", HOUR).await.map(drop) })
            })
            .collect();
        for request in waiting {
            assert!(request.await.unwrap().is_err());
        }
        drop(first);
        assert!(queue.next(&"a", HOUR).await.is_ok());
    }
}
