//! The watch of destinations: asks each on a timetable, and tells which are broken.

use std::{sync::Arc, time::Duration};

use slugline_domain::{
    DueLink, ProbeRequest, ProbeTimeout, Timetable, UnixMillis, Watched, is_watched, judge,
    measure::Counter,
    ports::{Clock, LinkProber, Random, StoreError, WatchObserver, WatchStore},
};
use tokio::{select, task::JoinSet, time::sleep};

/// The most destinations that one node asks at the same time.
const AT_ONCE: usize = 8;

/// The links that are put on the timetable in one transaction.
const PIECE: usize = 500;

/// The pause between two pieces, in which other changes come first.
const BETWEEN_PIECES: Duration = Duration::from_millis(100);

/// The pause after which due links are looked for again.
const PAUSE: Duration = Duration::from_secs(1);

/// The pause after a failure of the store.
const RETRY: Duration = Duration::from_secs(10);

/// The watch of destinations. All clones share its counts.
#[derive(Clone, Debug)]
pub struct DestinationWatch {
    parts: Arc<WatchParts>,
    counts: Arc<WatchCounts>,
}

/// The dependencies of the watch.
#[derive(Debug)]
#[non_exhaustive]
pub struct WatchParts {
    /// Keeps the timetable and what was found.
    pub store: Arc<dyn WatchStore>,
    /// Asks destinations.
    pub prober: Arc<dyn LinkProber>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Spreads requests.
    pub random: Arc<dyn Random>,
    /// When destinations are asked.
    pub timetable: Timetable,
    /// Hears of destinations that break, and that answer again; `None` if nobody does.
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

impl WatchParts {
    /// A watch of which nobody hears.
    pub fn new(
        store: Arc<dyn WatchStore>,
        prober: Arc<dyn LinkProber>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        timetable: Timetable,
    ) -> Self {
        Self {
            store,
            prober,
            clock,
            random,
            timetable,
            observer: None,
        }
    }

    /// Sets [`observer`](Self#structfield.observer).
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn WatchObserver>) -> Self {
        self.observer = Some(observer);
        self
    }
}

/// The links that are on the timetable: those up to a position, and how long to rely on that.
#[derive(Clone, Copy, Debug)]
struct Enrolled {
    position: i64,
    since: UnixMillis,
}

impl DestinationWatch {
    /// Watches with these parts once [`Self::run`] is called.
    pub fn new(parts: WatchParts) -> Self {
        Self {
            parts: Arc::new(parts),
            counts: Arc::default(),
        }
    }

    /// The requests of this node.
    pub fn counts(&self) -> &WatchCounts {
        &self.counts
    }

    /// Asks destinations that are due, one request a host at a time on all nodes together. `report`
    /// hears of the first failure of the store, and of the first success after it. Never returns;
    /// whoever drops the future stops the requests, and another node, or a later run, makes them
    /// again.
    pub async fn run(self, mut report: impl FnMut(Result<(), &StoreError>)) {
        let mut enrolled = Enrolled {
            position: 0,
            since: self.parts.clock.now(),
        };
        let mut asking = JoinSet::new();
        let mut is_well = true;
        loop {
            let step = self.step(&mut enrolled, &mut asking).await;
            if step.is_ok() != is_well {
                is_well = step.is_ok();
                report(step.as_ref().map(|_| ()));
            }
            let pause = step.unwrap_or(RETRY);
            select! {
                () = sleep(pause) => {}
                // The place is free for another destination.
                Some(_) = asking.join_next(), if is_well => {}
            }
        }
    }

    /// Puts some links on the timetable, and begins requests. Returns the pause before the next step.
    async fn step(
        &self,
        enrolled: &mut Enrolled,
        asking: &mut JoinSet<()>,
    ) -> Result<Duration, StoreError> {
        let parts = &self.parts;
        while asking.try_join_next().is_some() {}
        let now = parts.clock.now();
        // Transactions of several nodes may end in another order than that of the links' numbers, so
        // the numbers are looked at anew from time to time.
        if parts.timetable.is_over(enrolled.since, now) {
            *enrolled = Enrolled {
                position: 0,
                since: now,
            };
        }
        let dice = self.dice::<PIECE>();
        let moments = dice.map(|dice| parts.timetable.first(now, dice));
        let latest = parts.timetable.latest(now);
        let piece = parts.store.enrol(enrolled.position, &moments, latest);
        let piece = piece.await?;
        enrolled.position = piece.position;
        let free = AT_ONCE.saturating_sub(asking.len());
        if free > 0 {
            let until = now.get().saturating_add(lease());
            let due = parts.store.claim(now, UnixMillis::new(until), free).await?;
            for due in due {
                let this = self.clone();
                asking.spawn(async move { this.ask(due).await });
            }
        }
        Ok(if piece.more { BETWEEN_PIECES } else { PAUSE })
    }

    /// Asks a destination, and records what came of it. When the store fails, the claim ends by
    /// itself, and the destination is asked again.
    async fn ask(self, due: DueLink) {
        let parts = &self.parts;
        let DueLink {
            link,
            finding: before,
            claim,
        } = due;
        let content = &link.content;
        let now = parts.clock.now();
        let is_asked = is_watched(&link, now.second());
        let (finding, news) = if is_asked {
            let asked = content.routing.without_rest(&content.destination);
            let request = ProbeRequest::new(asked, ProbeTimeout::default())
                .with_validator(before.validator().cloned());
            let outcome = parts.prober.probe(request).await;
            let count = if outcome.ok() {
                &self.counts.answered
            } else {
                &self.counts.failed
            };
            count.count();
            judge(&before, &outcome, parts.clock.now().second())
        } else {
            (before.clone(), None)
        };
        let now = parts.clock.now();
        let [dice] = self.dice();
        let found = Watched {
            destination: content.destination.clone(),
            next_at: parts.timetable.next(now, &finding, dice),
            rests_until: if is_asked { Timetable::rest(now) } else { now },
            finding,
        };
        let is_recorded = parts.store.record(&claim, &found).await.unwrap_or(false);
        let told = found.finding.failing().or(before.failing());
        if let (true, Some(news), Some(told), Some(observer)) =
            (is_recorded, news, told, &parts.observer)
        {
            observer.news(news, &link, told);
        }
    }

    /// So many random numbers, by one request to the source.
    fn dice<const NUMBER: usize>(&self) -> [u16; NUMBER] {
        let mut bytes = [[0; 2]; NUMBER];
        self.parts.random.fill(bytes.as_flattened_mut());
        bytes.map(u16::from_be_bytes)
    }
}

/// The milliseconds for which a node has a claim: twice the longest request.
fn lease() -> i64 {
    let lease = ProbeTimeout::default().get() * 2;
    i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use slugline_domain::{Failing, Link, ProbeFailure, ProbeOutcome, WatchNews, ports::LinkStore};
    use slugline_testkit::{FixedClock, MemoryLinkStore, NOON, NOTE, SeededRandom, key, link};

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
                validator: None,
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
        store: Arc<MemoryLinkStore>,
        clock: Arc<FixedClock>,
        prober: Arc<Answers>,
        news: Arc<News>,
    }

    impl Fixture {
        async fn holding(links: &[Link]) -> Self {
            let store = Arc::new(MemoryLinkStore::default());
            for link in links {
                store.insert(link, &NOTE).await.unwrap();
            }
            let clock = Arc::new(FixedClock::at(NOON));
            let prober = Arc::new(Answers(Mutex::new((Some(200), 0))));
            let news = Arc::<News>::default();
            let parts = WatchParts::new(
                store.clone(),
                prober.clone(),
                clock.clone(),
                Arc::new(SeededRandom::new(1)),
                Timetable::new(Duration::from_hours(24)),
            );
            Self {
                watch: DestinationWatch::new(parts.with_observer(news.clone())),
                store,
                clock,
                prober,
                news,
            }
        }

        /// Lets some time pass and every due destination answer; returns the number of requests.
        async fn after(&self, hours: i64, status: Option<u16>) -> u32 {
            self.clock.advance_seconds(hours * 3_600);
            *self.prober.0.lock().unwrap() = (status, 0);
            let mut asking = JoinSet::new();
            let mut enrolled = Enrolled {
                position: 0,
                since: self.watch.parts.clock.now(),
            };
            self.watch.step(&mut enrolled, &mut asking).await.unwrap();
            asking.join_all().await;
            self.prober.0.lock().unwrap().1
        }
    }

    #[tokio::test]
    async fn two_failures_make_a_word_and_an_answer_takes_it_back() {
        let fixture = Fixture::holding(&[link("docs").build()]).await;
        assert_eq!(fixture.after(0, Some(200)).await, 0, "its time comes");
        assert_eq!(fixture.after(2, Some(404)).await, 1);
        assert_eq!(fixture.after(0, Some(404)).await, 0);
        assert_eq!(
            fixture.after(2, None).await,
            1,
            "a first failure is looked at soon"
        );
        let stored = fixture.store.find(&key("docs")).await.unwrap().unwrap();
        let broken = fixture.store.broken(&[&stored]).await.unwrap();
        assert_eq!(broken[&stored.id].times, 2);
        assert_eq!(fixture.after(2, Some(200)).await, 0, "then daily again");
        assert_eq!(fixture.after(27, Some(200)).await, 1);
        assert!(fixture.store.broken(&[&stored]).await.unwrap().is_empty());
        let heard = fixture.news.0.lock().unwrap().clone();
        let docs = || "docs".to_owned();
        assert_eq!(
            heard,
            [
                (WatchNews::Broken, docs(), 2),
                (WatchNews::Mended, docs(), 2)
            ]
        );
        let counts = fixture.watch.counts();
        assert_eq!((counts.answered.get(), counts.failed.get()), (1, 2));
    }

    #[tokio::test]
    async fn links_that_nobody_can_follow_are_not_asked() {
        let expired = link("expired").expires(-1).build();
        let mut hidden = link("hidden").build();
        hidden.content.life.disabled = true;
        let fixture = Fixture::holding(&[expired, hidden]).await;
        fixture.after(0, Some(200)).await;
        assert_eq!(fixture.after(48, Some(200)).await, 0);
    }
}
