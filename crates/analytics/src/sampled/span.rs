//! A range of minutes in which visits were sampled.

use slugline_domain::{
    Choice, Dimension, LinkId, SamplingInterval, UnixMillis, VisitFilter, split_key,
};

const MILLIS_PER_MINUTE: i64 = 60_000;
const SECONDS_PER_MINUTE: i64 = 60;
const MINUTES_PER_DAY: i64 = 1_440;

/// A range of minutes in which visits were sampled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first minute, counted since 1970.
    pub from: i64,
    /// The last minute.
    pub until: i64,
    /// The link whose visits were sampled; `None` means those of all links.
    pub link: Option<SampledLink>,
    /// The largest interval decided.
    pub interval: SamplingInterval,
}

/// A link as it was at the visits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampledLink {
    pub id: String,
    /// The text of the link's key.
    pub slug: String,
}

impl Span {
    /// Its columns in a table: the minutes, the link's id and slug, which are empty for all links, and
    /// the interval.
    pub fn values(&self) -> (i64, i64, &str, &str, u32) {
        let link = self.link.as_ref();
        let (id, slug) = link.map_or(("", ""), |link| (link.id.as_str(), link.slug.as_str()));
        (self.from, self.until, id, slug, self.interval.get())
    }

    /// The minute of a visit.
    pub fn at(at: UnixMillis, link: Option<SampledLink>, interval: SamplingInterval) -> Self {
        let minute = minute_of(at);
        Self {
            from: minute,
            until: minute,
            link,
            interval,
        }
    }

    /// The UTC day of a visit that was sampled elsewhere, for all links. A file has the visits that
    /// were kept. It does not tell which other links had visits that day that were all left out.
    pub fn day_of(at: UnixMillis, interval: SamplingInterval) -> Self {
        let day = minute_of(at).div_euclid(MINUTES_PER_DAY);
        Self {
            from: day * MINUTES_PER_DAY,
            until: day * MINUTES_PER_DAY + MINUTES_PER_DAY - 1,
            link: None,
            interval,
        }
    }
}

/// The time and the links that a question asks about.
#[derive(Clone, Copy, Debug)]
pub struct QuestionScope<'f>(&'f VisitFilter);

impl<'f> QuestionScope<'f> {
    pub fn by(filter: &'f VisitFilter) -> Self {
        Self(filter)
    }

    /// The first minute and the last one; `None` if the time ends before it begins.
    pub fn minutes(self) -> Option<(i64, i64)> {
        if matches!((self.0.from, self.0.until), (Some(from), Some(until)) if from > until) {
            return None;
        }
        let minute = |second: i64| second.div_euclid(SECONDS_PER_MINUTE);
        let from = self.0.from.map_or(i64::MIN, |from| minute(from.get()));
        let until = self.0.until.map_or(i64::MAX, |until| minute(until.get()));
        Some((from, until))
    }

    /// Returns whether a visit of a link could meet the conditions on links, slugs and domains.
    pub fn admits(self, id: &str, slug: &str) -> bool {
        let admits = |(dimension, choice): &(Dimension, Choice<String>)| {
            if *dimension == Dimension::Slug {
                choice.admits(slug)
            } else if *dimension == Dimension::Domain {
                choice.admits(split_key(slug).0)
            } else {
                true
            }
        };
        LinkId::parse(id).is_ok_and(|id| self.0.links.admits(&id))
            && self.0.values.iter().all(admits)
    }
}

/// The minute of a moment, counted since 1970.
pub(super) fn minute_of(at: UnixMillis) -> i64 {
    at.get().div_euclid(MILLIS_PER_MINUTE)
}

#[cfg(test)]
mod tests {
    use slugline_testkit::questions;

    use super::*;

    #[test]
    fn a_span_of_a_link_concerns_questions_about_its_key_and_its_domain() {
        let on = questions::having;
        for (filter, expected) in [
            (on(Dimension::Domain, "go.example"), true),
            (on(Dimension::Domain, ""), false),
            (on(Dimension::Slug, "go.example/docs"), true),
            (on(Dimension::Slug, "docs"), false),
            (on(Dimension::Country, "DE"), true),
        ] {
            let admits = QuestionScope::by(&filter).admits("docs-1", "go.example/docs");
            assert_eq!(admits, expected, "{filter:?}");
        }
        let of_default = on(Dimension::Domain, "");
        assert!(QuestionScope::by(&of_default).admits("docs-1", "docs"));
    }
}
