//! New visits as they come, for whoever watches.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use slugline_domain::{Event, UnixSeconds, VisitRecord, ports::VisitObserver};
use tokio::sync::broadcast::{self, error::RecvError};

use crate::Error;

/// Passes stored visits on to those who watch.
///
/// It is for looking at, not for counting: under load it passes on the first
/// few visits of each second, and who reads too slowly misses some. Nobody
/// watching costs nothing.
#[derive(Debug)]
pub struct LiveVisits {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// `None` once there is nothing more to come.
    sender: Option<broadcast::Sender<Arc<Event>>>,
    /// The second of the latest visit, and how many of its visits were passed on.
    second: Option<UnixSeconds>,
    passed: u32,
}

/// Somebody who watches.
#[derive(Debug)]
pub struct Watch {
    receiver: broadcast::Receiver<Arc<Event>>,
}

impl LiveVisits {
    /// Visits of one second that are passed on: more than a person can follow.
    pub const PER_SECOND: u32 = 20;
    /// Visits that wait for one who reads slowly.
    const WAITING: usize = 128;
    /// How many may watch at a time. Each holds a connection open.
    pub const WATCHERS: usize = 32;

    /// Nobody watches yet.
    pub fn new() -> Self {
        let (sender, _) = broadcast::channel(Self::WAITING);
        Self {
            state: Mutex::new(State {
                sender: Some(sender),
                second: None,
                passed: 0,
            }),
        }
    }

    /// Watches from now on.
    ///
    /// # Errors
    /// Too many do already, or the service is about to stop.
    pub fn watch(&self) -> Result<Watch, Error> {
        let state = self.locked();
        let sender = state.sender.as_ref();
        let free = sender.filter(|sender| sender.receiver_count() < Self::WATCHERS);
        let sender = free.ok_or(Error::TooManyWatchers)?;
        Ok(Watch {
            receiver: sender.subscribe(),
        })
    }

    /// Ends the watching for everybody, so that a service which stops need not
    /// wait for them.
    pub fn close(&self) {
        self.locked().sender = None;
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for LiveVisits {
    fn default() -> Self {
        Self::new()
    }
}

impl VisitObserver for LiveVisits {
    fn observe(&self, record: &VisitRecord<'_>) {
        let mut state = self.locked();
        let Some(sender) = &state.sender else { return };
        if sender.receiver_count() == 0 {
            return;
        }
        let second = Some(record.at.second());
        let passed = if second == state.second {
            state.passed
        } else {
            0
        };
        if passed < Self::PER_SECOND {
            // Fails when the last watcher has just gone.
            let _ = sender.send(Arc::new(Event::from(record)));
        }
        (state.second, state.passed) = (second, passed.saturating_add(1));
    }
}

impl Watch {
    /// The next visit, or `None` when there will be none.
    pub async fn next(&mut self) -> Option<Arc<Event>> {
        loop {
            match self.receiver.recv().await {
                Ok(event) => return Some(event),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Place, SamplingInterval, UnixMillis};
    use slugline_testkit::{link, slug};

    use super::*;

    fn visit(live: &LiveVisits, at: i64, path: &str) {
        let (link, slug) = (link("x").build(), slug(path));
        live.observe(&VisitRecord {
            at: UnixMillis::new(at),
            link_id: &link.id,
            slug: &slug,
            url: "https://example.com/",
            user_agent: "",
            referer: "",
            language: "",
            os: "",
            browser: "",
            browser_type: "",
            device: "",
            device_type: "",
            place: &Place::default(),
            interval: SamplingInterval::EVERY,
        });
    }

    async fn seen(watch: &mut Watch) -> Vec<String> {
        let mut slugs = Vec::new();
        while let Some(event) = watch.next().await {
            slugs.push(event.slug.clone());
        }
        slugs
    }

    #[tokio::test]
    async fn everybody_sees_what_comes_while_they_watch() {
        let live = LiveVisits::new();
        visit(&live, 1_000, "before");
        let mut first = live.watch().unwrap();
        visit(&live, 2_000, "one");
        let mut second = live.watch().unwrap();
        visit(&live, 2_001, "two");
        live.close();
        visit(&live, 3_000, "after");
        assert_eq!(seen(&mut first).await, ["one", "two"]);
        assert_eq!(seen(&mut second).await, ["two"]);
    }

    #[tokio::test]
    async fn of_a_busy_second_only_the_first_few_are_seen() {
        let live = LiveVisits::new();
        let mut watch = live.watch().unwrap();
        for _ in 0..1_000 {
            visit(&live, 5_000, "busy");
        }
        visit(&live, 6_000, "next");
        live.close();
        let seen = seen(&mut watch).await;
        assert_eq!(seen.len(), 21);
        assert_eq!(seen[20], "next");
    }

    #[tokio::test]
    async fn who_reads_slowly_misses_some_and_goes_on() {
        let live = LiveVisits::new();
        let mut watch = live.watch().unwrap();
        for second in 0..1_000 {
            visit(&live, second * 1_000, "v");
        }
        live.close();
        let seen = seen(&mut watch).await.len();
        assert!((1..=LiveVisits::WAITING).contains(&seen), "{seen}");
    }

    #[tokio::test]
    async fn only_so_many_watch_and_one_who_leaves_makes_room() {
        let live = LiveVisits::new();
        let mut watches: Vec<Watch> = Vec::new();
        watches.resize_with(LiveVisits::WATCHERS, || live.watch().unwrap());
        assert!(matches!(live.watch(), Err(Error::TooManyWatchers)));
        drop(watches.pop());
        assert!(live.watch().is_ok());
        live.close();
        assert!(matches!(live.watch(), Err(Error::TooManyWatchers)));
    }
}
