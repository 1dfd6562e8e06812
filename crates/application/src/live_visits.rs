//! Sends new visits to watchers as they come.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use slugline_domain::{
    Event, TokenName, UnixSeconds, VisitFilter, VisitRecord, ports::VisitObserver,
};
use tokio::sync::mpsc::{self, error::TrySendError};

use crate::{
    budgets::{Held, KeyPermits},
    caller::{Caller, Excess},
    error::Error,
};

/// Sends stored visits to watchers.
///
/// It is for looking at, not for counting. Under load each watcher gets the first few
/// visits of a second that meet its filter, and a slow reader misses some. Without
/// watchers it costs nothing.
#[derive(Debug)]
pub struct LiveVisits {
    /// `None` once the service stops and no more visits will come.
    watchers: Mutex<Option<Vec<Watcher>>>,
    tokens: KeyPermits<TokenName>,
}

/// The sending end of a watch.
#[derive(Debug)]
struct Watcher {
    filter: SharedFilter,
    sender: mpsc::Sender<Arc<Event>>,
    /// The second of the latest visit that met the filter, and the number of visits of
    /// that second that were sent.
    second: Option<UnixSeconds>,
    passed: u32,
}

/// The receiving end of a watch.
#[derive(Debug)]
pub struct Watch {
    receiver: mpsc::Receiver<Arc<Event>>,
    filter: SharedFilter,
    _held: Held,
}

/// The visits of a watch, which may change while it goes on.
#[derive(Clone, Debug)]
pub struct SharedFilter(Arc<Mutex<VisitFilter>>);

impl SharedFilter {
    /// Replaces the filter for the visits that come from now on.
    pub fn replace(&self, filter: VisitFilter) {
        *self.locked() = filter;
    }

    fn locked(&self) -> MutexGuard<'_, VisitFilter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveVisits {
    /// The most visits of one second that a watcher gets: more than a person can follow.
    pub const PER_SECOND: u32 = 20;
    /// The most visits that wait for a slow reader.
    const WAITING: usize = 128;
    /// The most watchers at a time. Each holds a connection open.
    pub const WATCHERS: usize = 32;
    /// The most watchers of one named token among them.
    const WATCHERS_OF_A_TOKEN: usize = 2;

    /// Starts without watchers.
    pub fn new() -> Self {
        Self {
            watchers: Mutex::new(Some(Vec::new())),
            tokens: KeyPermits::new(Self::WATCHERS_OF_A_TOKEN, Self::WATCHERS_OF_A_TOKEN),
        }
    }

    /// Watches the visits that meet a filter, from now on, for a caller.
    ///
    /// # Errors
    /// The maximum number of watchers, or of those with the caller's token, is reached, or the
    /// service is about to stop.
    pub fn watch(&self, caller: &Caller, filter: VisitFilter) -> Result<Watch, Error> {
        let held = Held::of(&self.tokens, caller, Excess::Watches)?;
        let mut watchers = self.locked();
        let watchers = watchers.as_mut().ok_or(Error::TooManyWatchers)?;
        watchers.retain(|watcher| !watcher.sender.is_closed());
        if watchers.len() >= Self::WATCHERS {
            return Err(Error::TooManyWatchers);
        }
        let (sender, receiver) = mpsc::channel(Self::WAITING);
        let filter = SharedFilter(Arc::new(Mutex::new(filter)));
        watchers.push(Watcher {
            filter: filter.clone(),
            sender,
            second: None,
            passed: 0,
        });
        Ok(Watch {
            receiver,
            filter,
            _held: held,
        })
    }

    /// Ends all watches, so that a service that stops need not wait for them.
    pub fn close(&self) {
        *self.locked() = None;
    }

    fn locked(&self) -> MutexGuard<'_, Option<Vec<Watcher>>> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for LiveVisits {
    fn default() -> Self {
        Self::new()
    }
}

impl VisitObserver for LiveVisits {
    fn observe(&self, record: &VisitRecord<'_>) {
        let mut watchers = self.locked();
        let Some(watchers) = watchers.as_mut() else {
            return;
        };
        let second = record.at.second();
        // Each made for the first watcher that may get it: with the destination, and without.
        let (mut shown, mut hidden) = (None, None);
        watchers.retain_mut(|watcher| {
            if !watcher.has_room_in(second) {
                return true;
            }
            let filter = watcher.filter.locked();
            let event = if filter.destinations.show(record.protection) {
                &mut shown
            } else {
                &mut hidden
            };
            let event =
                event.get_or_insert_with(|| Arc::new(Event::of(record, filter.destinations)));
            let admitted = event.meets(&filter, record.link_id);
            drop(filter);
            !admitted || watcher.pass_on(event)
        });
    }
}

impl Watcher {
    /// Returns whether the watcher may get more visits of this second.
    fn has_room_in(&self, second: UnixSeconds) -> bool {
        self.second != Some(second) || self.passed < LiveVisits::PER_SECOND
    }

    /// Sends a visit. Returns whether the watcher is still there.
    fn pass_on(&mut self, event: &Arc<Event>) -> bool {
        let second = Some(event.at.second());
        if self.second != second {
            (self.second, self.passed) = (second, 0);
        }
        self.passed += 1;
        // A slow reader misses the visit.
        let sent = self.sender.try_send(Arc::clone(event));
        !matches!(sent, Err(TrySendError::Closed(_)))
    }
}

impl Watch {
    /// The filter of the watch.
    pub fn filter(&self) -> SharedFilter {
        self.filter.clone()
    }

    /// Returns the next visit, or `None` when no more visits will come.
    pub async fn next(&mut self) -> Option<Arc<Event>> {
        self.receiver.recv().await
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{
        Campaign, Choice, Country, Destinations, Dimension, Place, Protection, SamplingInterval,
        UnixMillis,
    };
    use slugline_testkit::{assert_matches, link, slug, with};

    use super::*;
    use crate::budgets::fixture::token;

    fn visit(live: &LiveVisits, at: i64, path: &str) {
        visit_from(live, at, path, "");
    }

    fn visit_from(live: &LiveVisits, at: i64, path: &str, country: &str) {
        visit_behind(live, at, (path, country), Protection::None);
    }

    fn visit_behind(
        live: &LiveVisits,
        at: i64,
        (path, country): (&str, &str),
        protection: Protection,
    ) {
        let (link, slug) = (link(path).build(), slug(path));
        let place = Place {
            country: Country::parse(country).ok(),
            ..Place::default()
        };
        live.observe(&VisitRecord {
            at: UnixMillis::new(at),
            link_id: link.id.as_str(),
            slug: slug.as_str(),
            url: "https://example.com/",
            protection,
            user_agent: "",
            referer: "",
            language: "",
            os: "",
            browser: "",
            browser_type: "",
            device: "",
            device_type: "",
            place: &place,
            campaign: Campaign::default(),
            interval: SamplingInterval::EVERY,
        });
    }

    async fn seen(watch: &mut Watch) -> Vec<String> {
        let mut slugs = Vec::new();
        while let Some(event) = watch.next().await {
            slugs.push(event.value(Dimension::Slug).into_owned());
        }
        slugs
    }

    #[tokio::test]
    async fn everybody_sees_what_comes_while_they_watch() {
        let live = LiveVisits::new();
        visit(&live, 1_000, "before");
        let mut first = live.watch(&Caller::Site, VisitFilter::default()).unwrap();
        visit(&live, 2_000, "one");
        let mut second = live.watch(&Caller::Site, VisitFilter::default()).unwrap();
        visit(&live, 2_001, "two");
        live.close();
        visit(&live, 3_000, "after");
        assert_eq!(seen(&mut first).await, ["one", "two"]);
        assert_eq!(seen(&mut second).await, ["two"]);
    }

    #[tokio::test]
    async fn of_a_busy_second_only_the_first_few_are_seen() {
        let live = LiveVisits::new();
        let mut watch = live.watch(&Caller::Site, VisitFilter::default()).unwrap();
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
    async fn a_watcher_sees_what_meets_the_filter_however_much_else_there_is() {
        let live = LiveVisits::new();
        let filtered = |dimension, choice| {
            let values = vec![(dimension, choice)];
            with(VisitFilter::default(), |it| it.values = values)
        };
        let text = |text: &str| [text.to_owned()];
        let seldom = filtered(Dimension::Slug, Choice::any_of(text("seldom")));
        let known = filtered(Dimension::Country, Choice::none_of(text("")));
        let seldom_id = Choice::any_of([link("seldom").build().id]);
        let one_link = with(VisitFilter::default(), |it| it.links = seldom_id);
        let [six, four] = [6, 4].map(|second| UnixSeconds::new(second).ok());
        let later = with(VisitFilter::default(), |it| it.from = six);
        let earlier = with(VisitFilter::default(), |it| it.until = four);
        let watches = [seldom, known, one_link, later, earlier]
            .map(|filter| live.watch(&Caller::Site, filter));
        for _ in 0..1_000 {
            visit(&live, 5_000, "busy");
        }
        visit_from(&live, 5_500, "seldom", "DE");
        visit(&live, 6_000, "seldom");
        live.close();
        let expected: [&[&str]; 5] = [
            &["seldom", "seldom"],
            &["seldom"],
            &["seldom", "seldom"],
            &["seldom"],
            &[],
        ];
        for (watch, expected) in watches.into_iter().zip(expected) {
            assert_eq!(seen(&mut watch.unwrap()).await, expected);
        }
    }

    #[tokio::test]
    async fn a_destination_behind_a_password_is_hidden_from_those_who_may_not_see_it() {
        let live = LiveVisits::new();
        let of_guest = |url: Option<&str>| VisitFilter {
            values: url.map_or(Vec::new(), |url| {
                vec![(Dimension::Url, Choice::any_of([url.to_owned()]))]
            }),
            destinations: Destinations::Unprotected,
            ..VisitFilter::default()
        };
        let filters = [
            VisitFilter::default(),
            of_guest(None),
            of_guest(Some("https://example.com/")),
            of_guest(Some("")),
        ];
        let watches = filters.map(|filter| live.watch(&Caller::Site, filter).unwrap());
        visit_behind(&live, 1_000, ("open", ""), Protection::None);
        visit_behind(&live, 2_000, ("locked", ""), Protection::Password);
        live.close();
        let url = "https://example.com/";
        let expected: [&[(&str, &str)]; 4] = [
            &[("open", url), ("locked", url)],
            &[("open", url), ("locked", "")],
            &[("open", url)],
            &[("locked", "")],
        ];
        for (mut watch, expected) in watches.into_iter().zip(expected) {
            let mut found: Vec<(String, String)> = Vec::new();
            while let Some(event) = watch.next().await {
                let shown =
                    [Dimension::Slug, Dimension::Url].map(|of| event.value(of).into_owned());
                found.push(shown.into());
            }
            let expected: Vec<(String, String)> = expected
                .iter()
                .map(|(slug, url)| ((*slug).to_owned(), (*url).to_owned()))
                .collect();
            assert_eq!(found, expected);
        }
    }

    #[tokio::test]
    async fn who_reads_slowly_misses_some_and_goes_on() {
        let live = LiveVisits::new();
        let mut watch = live.watch(&Caller::Site, VisitFilter::default()).unwrap();
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
        watches.resize_with(LiveVisits::WATCHERS, || {
            live.watch(&Caller::Site, VisitFilter::default()).unwrap()
        });
        assert_matches!(
            live.watch(&Caller::Site, VisitFilter::default()),
            Err(Error::TooManyWatchers)
        );
        drop(watches.pop());
        assert!(live.watch(&Caller::Site, VisitFilter::default()).is_ok());
        live.close();
        assert_matches!(
            live.watch(&Caller::Site, VisitFilter::default()),
            Err(Error::TooManyWatchers)
        );
    }

    #[test]
    fn a_token_has_two_watches_and_others_have_theirs() {
        let live = LiveVisits::new();
        let watch = |name| live.watch(&token(name), VisitFilter::default());
        let first = watch("a").unwrap();
        let _second = watch("a").unwrap();
        assert_matches!(watch("a"), Err(Error::TokenBusy(Excess::Watches)));
        assert!(watch("b").is_ok());
        drop(first);
        assert!(watch("a").is_ok());
    }
}
