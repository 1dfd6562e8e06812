//! The decisions of a batch, until they are stored.

use std::collections::{HashMap, hash_map::Entry};

use slugline_domain::{FollowedLink, LinkId, SamplingInterval, UnixMillis};

use super::span::{SampledLink, Span, minute_of};
use crate::sampling::Decision;

/// The decisions of a batch to sample visits.
#[derive(Debug)]
pub(crate) struct Pending {
    spans: HashMap<(i64, Option<SampledLink>), Span>,
    /// The latest minute noted. Its decisions are in `spans` or in the database, so most visits of a
    /// flood change nothing.
    minute: i64,
    of_all: SamplingInterval,
    /// By identity: the text of the key and the interval.
    of_links: HashMap<String, (String, SamplingInterval)>,
}

impl Default for Pending {
    fn default() -> Self {
        Self {
            spans: HashMap::new(),
            minute: i64::MIN,
            of_all: SamplingInterval::EVERY,
            of_links: HashMap::new(),
        }
    }
}

impl Pending {
    /// Notes a decision about a visit of a link.
    pub(crate) fn note(&mut self, at: UnixMillis, link: &FollowedLink, decision: &Decision) {
        if decision.interval == SamplingInterval::EVERY {
            return;
        }
        let minute = minute_of(at);
        if minute != self.minute {
            self.forget();
            self.minute = minute;
        }
        if decision.of_all > self.of_all {
            self.of_all = decision.of_all;
            self.add(Span::at(at, None, decision.of_all));
        }
        let known = self.of_links.get(link.id());
        let is_known = known
            .is_some_and(|(key, interval)| key == link.key() && *interval >= decision.interval);
        if decision.interval > decision.of_all && !is_known {
            let noted = (link.key().to_owned(), decision.interval);
            self.of_links.insert(link.id().to_owned(), noted);
            let link = SampledLink {
                id: link.id().to_owned(),
                slug: link.key().to_owned(),
            };
            self.add(Span::at(at, Some(link), decision.interval));
        }
    }

    fn add(&mut self, span: Span) {
        match self.spans.entry((span.from, span.link.clone())) {
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.interval = known.interval.max(span.interval);
            }
            Entry::Vacant(new) => {
                new.insert(span);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The spans to store.
    pub(crate) fn spans(&self) -> impl Iterator<Item = &Span> {
        self.spans.values()
    }

    /// Forgets the spans of a link whose visits are erased.
    pub(crate) fn erase(&mut self, id: &LinkId) {
        let is_of =
            |link: &Option<SampledLink>| matches!(link, Some(link) if link.id == id.as_str());
        self.spans.retain(|(_, link), _| !is_of(link));
        self.of_links.remove(id.as_str());
    }

    /// The spans are in the database.
    pub(crate) fn settle(&mut self) {
        self.spans.clear();
    }

    /// Forgets the spans, because their visits are lost.
    pub(crate) fn clear(&mut self) {
        self.spans.clear();
        self.forget();
    }

    /// Forgets what was noted, so that the next decision is stored.
    fn forget(&mut self) {
        self.of_all = SamplingInterval::EVERY;
        self.of_links.clear();
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::link;

    use super::*;

    fn interval(of: u32) -> SamplingInterval {
        SamplingInterval::new(of).unwrap()
    }

    fn decision(of_link: u32, of_all: u32) -> Decision {
        Decision {
            kept: None,
            interval: interval(of_link * of_all),
            of_all: interval(of_all),
        }
    }

    fn stored(pending: &Pending) -> Vec<(i64, Option<&str>, u32)> {
        let mut spans: Vec<_> = pending
            .spans()
            .map(|span| {
                let slug = span.link.as_ref().map(|link| link.slug.as_str());
                (span.from, slug, span.interval.get())
            })
            .collect();
        spans.sort_unstable();
        spans
    }

    #[test]
    fn a_minute_is_stored_once_unless_its_interval_grows() {
        let docs = link("docs").followed();
        let mut pending = Pending::default();
        let note = |pending: &mut Pending, second: i64, of_link, of_all| {
            let at = UnixMillis::new(second * 1_000);
            pending.note(at, &docs, &decision(of_link, of_all));
        };
        note(&mut pending, 1, 1, 1);
        assert!(pending.is_empty());
        note(&mut pending, 2, 2, 1);
        note(&mut pending, 3, 4, 1);
        note(&mut pending, 4, 2, 2);
        assert_eq!(stored(&pending), [(0, None, 2), (0, Some("docs"), 4)]);
        pending.settle();
        note(&mut pending, 5, 2, 2);
        assert!(pending.is_empty());
        note(&mut pending, 6, 4, 2);
        assert_eq!(stored(&pending), [(0, Some("docs"), 8)]);
        note(&mut pending, 61, 2, 1);
        assert_eq!(
            stored(&pending),
            [(0, Some("docs"), 8), (1, Some("docs"), 2)]
        );
        pending.settle();
        note(&mut pending, 62, 2, 1);
        assert!(pending.is_empty());
    }

    #[test]
    fn a_decision_whose_batch_was_lost_is_stored_again() {
        let docs = link("docs").followed();
        let mut pending = Pending::default();
        let at = UnixMillis::new(1_000);
        pending.note(at, &docs, &decision(2, 2));
        pending.clear();
        assert!(pending.is_empty());
        pending.note(at, &docs, &decision(2, 2));
        assert_eq!(stored(&pending), [(0, None, 2), (0, Some("docs"), 4)]);
        pending.erase(&LinkId::parse(docs.id()).unwrap());
        assert_eq!(stored(&pending), [(0, None, 2)]);
    }
}
