//! The watch of destinations: asks each once in a time, and tells which are broken.

use std::{collections::HashMap, sync::Arc, time::Duration};

use slugline_domain::{
    ProbeCaller, ProbeRequest, ProbeTimeout, WatchLease, WatchRound, WatchedLink, host_rest,
    host_to_ask, is_watched, judge,
    measure::Counter,
    ports::{Clock, LinkProber, Random, StoreError, WatchObserver, WatchStore},
    second_look,
};
use tokio::{
    select,
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

/// The most destinations that are asked at the same time.
const AT_ONCE: usize = 16;

/// The links that are read and asked together.
const PIECE: u32 = 500;

/// The pause after which due links are looked for again.
const PAUSE: Duration = Duration::from_secs(1);

/// The pause after a failure of the store, and while another node has the lease.
const RETRY: Duration = Duration::from_secs(10);

/// The time after which another node takes the lease of one that died.
const LEASE: Duration = Duration::from_secs(30);

/// The time after which a node prolongs its lease.
const RENEW: Duration = Duration::from_secs(10);

/// The watch of destinations. All clones share its counts.
#[derive(Clone, Debug)]
pub struct DestinationWatch {
    parts: Arc<WatchParts>,
    counts: Arc<WatchCounts>,
    /// The number by which the store knows this watch.
    watcher: i64,
}

/// The dependencies of the watch.
#[derive(Debug)]
pub struct WatchParts {
    /// Keeps the lease, the round and what was found.
    pub store: Arc<dyn WatchStore>,
    /// Asks destinations.
    pub prober: Arc<dyn LinkProber>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes the number by which the store knows this watch.
    pub random: Arc<dyn Random>,
    /// The time in which each destination is asked once.
    pub every: Duration,
    /// Hears of destinations that break, and that answer again; `None` if no observer does.
    pub observer: Option<Arc<dyn WatchObserver>>,
}

/// The requests of this node since its start.
#[derive(Debug, Default)]
pub struct WatchCounts {
    /// Requests that were answered without an error.
    pub answered: Counter,
    /// Requests that were answered with an error, or not at all.
    pub failed: Counter,
}

/// The work of this watch while it has the lease.
#[derive(Clone, Copy, Debug)]
struct Turn {
    round: WatchRound,
    /// The number of the newest link.
    last: i64,
    /// The moment to prolong the lease and to keep the round.
    renew_at: Instant,
}

impl DestinationWatch {
    /// Watches with these parts once [`Self::run`] is called.
    pub fn new(parts: WatchParts) -> Self {
        let mut watcher = [0; 8];
        parts.random.fill(&mut watcher);
        Self {
            parts: Arc::new(parts),
            counts: Arc::default(),
            watcher: i64::from_be_bytes(watcher),
        }
    }

    /// The requests of this node.
    pub fn counts(&self) -> &WatchCounts {
        &self.counts
    }

    /// Asks destinations while this watch has the lease, one request a host at a time. `report`
    /// hears of the first failure of the store, and of the first success after it. Never returns.
    /// Dropping the future stops the requests; another node, or a later run, makes them again once
    /// the lease has ended.
    pub async fn run(self, mut report: impl FnMut(Result<(), &StoreError>)) {
        let mut turn = None;
        let mut is_well = true;
        loop {
            let step = self.step(&mut turn).await;
            if step.is_ok() != is_well {
                is_well = step.is_ok();
                report(step.as_ref().map(|_| ()));
            }
            if step.is_err() {
                // The store may be ahead: go on from what it has.
                turn = None;
            }
            sleep(step.unwrap_or(RETRY)).await;
        }
    }

    /// Asks the links that are due. Returns the pause before the next step.
    async fn step(&self, turn: &mut Option<Turn>) -> Result<Duration, StoreError> {
        let WatchParts { store, every, .. } = &*self.parts;
        let now = self.parts.clock.now();
        if let Some(turn) = turn
            && turn.round.is_over(*every, turn.last, now)
        {
            turn.round = WatchRound::start(now);
            turn.renew_at = Instant::now();
        }
        if turn.is_none_or(|turn| turn.renew_at <= Instant::now()) {
            self.lead(turn).await?;
        }
        let Some(Turn { round, last, .. }) = *turn else {
            return Ok(RETRY);
        };
        let target = round.target(*every, last, now);
        let failed_until = second_look(*every, now);
        let due = store.due(round.position, target, failed_until, PIECE);
        let due = due.await?;
        let asks = !due.links.is_empty();
        let mut asking = self.ask_all(due.links, host_rest(*every, last));
        while let Some(Turn { renew_at, .. }) = *turn {
            select! {
                asked = asking.join_next() => match asked {
                    Some(Ok(asked)) => asked?,
                    // A bug: the others of its host wait for the next round.
                    Some(Err(_)) => {}
                    None => break,
                },
                () = sleep_until(renew_at) => self.lead(turn).await?,
            }
        }
        if let Some(turn) = turn {
            turn.round.position = due.position;
            if asks {
                turn.renew_at = Instant::now();
            }
        }
        Ok(PAUSE)
    }

    /// Takes the lease or prolongs it, and keeps the round. Without the lease there is no turn.
    async fn lead(&self, turn: &mut Option<Turn>) -> Result<(), StoreError> {
        let now = self.parts.clock.now();
        let lease = WatchLease {
            watcher: self.watcher,
            until: now.later(LEASE),
        };
        let round = turn.map(|turn| turn.round);
        let led = self.parts.store.lead(lease, now, round).await?;
        *turn = led.map(|led| Turn {
            round: led.round.unwrap_or_else(|| WatchRound::start(now)),
            last: led.last,
            renew_at: Instant::now() + RENEW,
        });
        Ok(())
    }

    /// Asks links, those of one host one after the other. Dropping the set stops the requests.
    fn ask_all(&self, links: Vec<WatchedLink>, rest: Duration) -> JoinSet<Result<(), StoreError>> {
        let mut hosts: HashMap<String, Vec<WatchedLink>> = HashMap::new();
        for watched in links {
            let host = host_to_ask(watched.link.content.destination.as_str());
            hosts.entry(host).or_default().push(watched);
        }
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let mut asking = JoinSet::new();
        for links in hosts.into_values() {
            let (this, places) = (self.clone(), Arc::clone(&places));
            asking.spawn(async move {
                for watched in links {
                    let place = places.acquire().await;
                    let is_asked = this.ask(watched).await?;
                    drop(place);
                    if is_asked {
                        sleep(rest).await;
                    }
                }
                Ok(())
            });
        }
        asking
    }

    /// Asks a destination, if visitors meet it, and records what came of it. Returns whether it was
    /// asked.
    async fn ask(&self, watched: WatchedLink) -> Result<bool, StoreError> {
        let parts = &self.parts;
        let (link, before) = (&watched.link, watched.failing.as_ref());
        let is_asked = is_watched(link, parts.clock.now().second());
        let (failing, news) = if is_asked {
            let content = &link.content;
            let asked = content.routing.without_rest(&content.destination);
            let request = ProbeRequest {
                destination: asked,
                timeout: ProbeTimeout::default(),
                caller: ProbeCaller::default(),
            };
            let outcome = parts.prober.probe(request).await;
            let count = if outcome.ok() {
                &self.counts.answered
            } else {
                &self.counts.failed
            };
            count.count();
            judge(before, &outcome, parts.clock.now().second())
        } else {
            (before.filter(|failing| failing.is_broken()).cloned(), None)
        };
        let is_kept = failing.as_ref() == before && failing.is_some() == watched.is_kept;
        if is_kept
            || !parts
                .store
                .record(self.watcher, link, failing.as_ref())
                .await?
        {
            return Ok(is_asked);
        }
        if let (Some(news), Some(told), Some(observer)) =
            (news, failing.as_ref().or(before), &parts.observer)
        {
            observer.news(news, link, told);
        }
        Ok(is_asked)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use slugline_domain::{
        Failing, Link, ProbeFailure, ProbeOutcome, Reach, WatchNews,
        ports::{LinkStore, Version},
    };
    use slugline_storage::{DatabaseUrl, SqlLinkStore};
    use slugline_testkit::{FixedClock, NOON, NOTE, SeededRandom, key, link};
    use tempfile::TempDir;

    use super::*;

    /// Answers with the status that was set last, and counts requests.
    #[derive(Debug)]
    struct Answers(Mutex<(Option<u16>, u32)>);

    #[async_trait::async_trait]
    impl LinkProber for Answers {
        async fn probe(&self, _: ProbeRequest) -> ProbeOutcome {
            let mut state = self.0.lock().unwrap();
            state.1 += 1;
            ProbeOutcome {
                result: state.0.ok_or(ProbeFailure::Failed("no answer".into())),
                duration: Duration::ZERO,
            }
        }
    }

    #[derive(Debug, Default)]
    struct News(Mutex<Vec<(WatchNews, String, u32)>>);

    impl WatchObserver for News {
        fn news(&self, news: WatchNews, link: &Link, failing: &Failing) {
            let heard = (news, link.key.to_string(), failing.times);
            self.0.lock().unwrap().push(heard);
        }
    }

    struct Fixture {
        watch: DestinationWatch,
        turn: Option<Turn>,
        store: Arc<SqlLinkStore>,
        clock: Arc<FixedClock>,
        prober: Arc<Answers>,
        news: Arc<News>,
        _folder: TempDir,
    }

    impl Fixture {
        /// A watch of these links that asks them once a day, and has begun.
        async fn holding(links: &[Link]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let url = DatabaseUrl::File(folder.path().join("links.db"));
            let store = Arc::new(SqlLinkStore::open(&url).await.unwrap());
            for link in links {
                let made = store.insert(&Reach::Everything, link, &NOTE);
                made.await.unwrap();
            }
            let clock = Arc::new(FixedClock::at(NOON));
            let prober = Arc::new(Answers(Mutex::new((Some(200), 0))));
            let news = Arc::<News>::default();
            let mut fixture = Self {
                watch: watch_of(&store, &clock, &prober, &news, 1),
                turn: None,
                store,
                clock,
                prober,
                news,
                _folder: folder,
            };
            assert_eq!(fixture.after(0, Some(200)).await, 0, "its time comes");
            fixture
        }

        /// Lets some time pass and every due destination answer; returns the number of requests.
        async fn after(&mut self, hours: i64, status: Option<u16>) -> u32 {
            self.clock.advance_seconds(hours * 3_600);
            *self.prober.0.lock().unwrap() = (status, 0);
            self.watch.step(&mut self.turn).await.unwrap();
            self.prober.0.lock().unwrap().1
        }

        /// The failures of the destination of a link, if it is broken.
        async fn broken(&self, name: &str) -> Option<u32> {
            let link = self.store.find(&key(name)).await.unwrap().unwrap();
            let told = self.store.broken(&[&link]).await.unwrap();
            told.get(&link.id).map(|failing| failing.times)
        }
    }

    fn watch_of(
        store: &Arc<SqlLinkStore>,
        clock: &Arc<FixedClock>,
        prober: &Arc<Answers>,
        news: &Arc<News>,
        seed: u64,
    ) -> DestinationWatch {
        DestinationWatch::new(WatchParts {
            store: store.clone(),
            prober: prober.clone(),
            clock: clock.clone(),
            random: Arc::new(SeededRandom::new(seed)),
            every: Duration::from_hours(24),
            observer: Some(news.clone()),
        })
    }

    fn links(names: &[&str]) -> Vec<Link> {
        names.iter().map(|name| link(name).build()).collect()
    }

    #[tokio::test]
    async fn two_failures_make_a_word_and_an_answer_takes_it_back() {
        let mut fixture = Fixture::holding(&links(&["docs"])).await;
        assert_eq!(fixture.after(23, Some(404)).await, 0);
        assert_eq!(fixture.after(1, Some(404)).await, 1);
        assert_eq!(fixture.broken("docs").await, None);
        assert_eq!(fixture.after(0, Some(404)).await, 0);
        let second = fixture.after(1, None).await;
        assert_eq!(second, 1, "a first failure is looked at soon");
        assert_eq!(fixture.broken("docs").await, Some(2));
        assert_eq!(fixture.after(2, Some(200)).await, 0, "then daily again");
        assert_eq!(fixture.after(21, Some(200)).await, 1);
        assert_eq!(fixture.broken("docs").await, None);
        let heard = fixture.news.0.lock().unwrap().clone();
        let docs = || "docs".to_owned();
        let told = [
            (WatchNews::Broken, docs(), 2),
            (WatchNews::Mended, docs(), 2),
        ];
        assert_eq!(heard, told);
        let counts = fixture.watch.counts();
        assert_eq!((counts.answered.get(), counts.failed.get()), (1, 2));
    }

    #[tokio::test]
    async fn requests_spread_over_the_day() {
        let mut fixture = Fixture::holding(&links(&["a", "b", "c", "d"])).await;
        for _ in 0..2 {
            for _ in 0..4 {
                assert_eq!(fixture.after(5, Some(200)).await, 0);
                assert_eq!(fixture.after(1, Some(200)).await, 1);
            }
            // The next round starts.
            assert_eq!(fixture.after(0, Some(200)).await, 0);
        }
    }

    #[tokio::test]
    async fn links_that_visitors_cannot_follow_are_not_asked() {
        let mut links = links(&["expired", "hidden", "docs"]);
        links[0] = link("expired").expires(-1).build();
        links[1].content.life.disabled = true;
        let mut fixture = Fixture::holding(&links).await;
        assert_eq!(fixture.after(24, Some(200)).await, 1);
    }

    #[tokio::test]
    async fn a_first_failure_is_forgotten_when_the_link_leads_elsewhere_or_nowhere() {
        let mut fixture = Fixture::holding(&links(&["edited", "hidden"])).await;
        assert_eq!(fixture.after(24, Some(404)).await, 2);
        for name in ["edited", "hidden"] {
            let before = fixture.store.find(&key(name)).await.unwrap().unwrap();
            let mut after = before.clone();
            after.revision = before.revision.next();
            if name == "edited" {
                after.content.destination = "https://new.example/".parse().unwrap();
            } else {
                after.content.life.disabled = true;
            }
            let known = Version::of(&before);
            fixture.store.update(&after, &known, &NOTE).await.unwrap();
        }
        assert_eq!(fixture.after(1, Some(404)).await, 1, "the edited one");
        assert_eq!(fixture.broken("edited").await, None);
        assert_eq!(fixture.after(1, Some(404)).await, 1, "the same again");
        assert_eq!(fixture.broken("edited").await, Some(2));
    }

    #[tokio::test]
    async fn another_watch_goes_on_where_one_died() {
        let mut fixture = Fixture::holding(&links(&["a", "b"])).await;
        assert_eq!(fixture.after(12, Some(200)).await, 1);
        fixture.after(0, Some(200)).await;
        let Fixture {
            store,
            clock,
            prober,
            news,
            ..
        } = &fixture;
        let other = watch_of(store, clock, prober, news, 2);
        let mut turn = None;
        assert_eq!(other.step(&mut turn).await.unwrap(), RETRY);
        assert!(turn.is_none(), "the first one has the lease");
        clock.advance_seconds(30);
        other.step(&mut turn).await.unwrap();
        assert_eq!(turn.unwrap().round.position, 1);
        // The first one finds that it lost the lease.
        fixture.turn.as_mut().unwrap().renew_at = Instant::now();
        assert_eq!(fixture.after(12, Some(200)).await, 0);
        assert!(fixture.turn.is_none());
        other.step(&mut turn).await.unwrap();
        assert_eq!(other.counts().answered.get(), 1, "the second link");
    }
}
