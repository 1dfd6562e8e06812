//! Watching destinations: when to ask one, and when to say a word about it.
//!
//! The watch asks the destination of visitors to whom no rule applies. What it finds belongs to the
//! text of that destination, so a link that leads elsewhere starts anew.

use std::time::Duration;

use url::Url;

use crate::{
    Destination, Link, LinkId, LinkStatus, ProbeFailure, ProbeOutcome, UnixMillis, UnixSeconds,
    Validator,
};

/// The result of the requests to a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It answers, or nobody has asked. The validator makes the next request conditional.
    Well(Option<Validator>),
    /// It fails.
    Failing(Failing),
}

impl Default for Finding {
    fn default() -> Self {
        Self::Well(None)
    }
}

impl Finding {
    /// The failures, if it fails.
    pub fn failing(&self) -> Option<&Failing> {
        match self {
            Self::Well(_) => None,
            Self::Failing(failing) => Some(failing),
        }
    }

    /// The validator of the last answer, if it gave one.
    pub fn validator(&self) -> Option<&Validator> {
        match self {
            Self::Well(validator) => validator.as_ref(),
            Self::Failing(_) => None,
        }
    }
}

/// A destination that did not answer, or answered with an error, in each of the last requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The first of these requests.
    pub since: UnixSeconds,
    /// The last of them.
    pub checked_at: UnixSeconds,
    /// The number of them.
    pub times: u32,
    /// What came of the last one.
    pub answer: BadAnswer,
}

impl Failing {
    /// The failures in a row after which a destination is said to be broken: one may be chance.
    pub const BROKEN_AFTER: u32 = 2;

    /// Returns whether it failed often enough to say so.
    pub fn is_broken(&self) -> bool {
        self.times >= Self::BROKEN_AFTER
    }
}

/// What came of a request that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadAnswer {
    /// The HTTP status of an error.
    Status(u16),
    /// No answer. The text for people says why.
    Nothing(Box<str>),
}

impl BadAnswer {
    /// The longest reason, in characters. A stranger's server may control it.
    const MAX_CHARS: usize = 200;

    /// There was no answer, for this reason.
    pub fn nothing(reason: &str) -> Self {
        let plain = reason.chars().filter(|character| !character.is_control());
        Self::Nothing(plain.take(Self::MAX_CHARS).collect::<String>().into())
    }
}

/// News about a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchNews {
    /// It failed for the second time in a row.
    Broken,
    /// It answers again, after it was said to be broken.
    Mended,
}

/// Judges an answer, after what was found before. A destination that we must not ask, or that turns
/// us away, says nothing: one that was broken stays so, and a first failure is forgotten.
pub fn judge(
    before: &Finding,
    outcome: &ProbeOutcome,
    now: UnixSeconds,
) -> (Finding, Option<WatchNews>) {
    let failing = before.failing();
    let was_broken = failing.is_some_and(Failing::is_broken);
    let unknown = || match failing {
        Some(failing) if !failing.is_broken() => Finding::default(),
        _ => before.clone(),
    };
    let answer = match &outcome.result {
        Err(ProbeFailure::NotAllowed) => return (unknown(), None),
        Ok(status) if turns_us_away(*status) => return (unknown(), None),
        Ok(_) if outcome.ok() => {
            let news = was_broken.then_some(WatchNews::Mended);
            return (Finding::Well(outcome.validator.clone()), news);
        }
        Ok(status) => BadAnswer::Status(*status),
        Err(ProbeFailure::Failed(reason)) => BadAnswer::nothing(reason),
    };
    let failing = Failing {
        since: failing.map_or(now, |before| before.since),
        checked_at: now,
        times: failing.map_or(1, |before| before.times.saturating_add(1)),
        answer,
    };
    let is_news = failing.is_broken() && !was_broken;
    let news = is_news.then_some(WatchNews::Broken);
    (Finding::Failing(failing), news)
}

/// Returns whether a server answers with this status to those whom it does not serve: people sign in
/// first, or programs are kept out. Its visitors may well see the page.
fn turns_us_away(status: u16) -> bool {
    // LinkedIn keeps programs out with 999, which no standard knows.
    matches!(status, 401 | 403 | 429 | 999)
}

/// When destinations are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timetable {
    every: Duration,
}

impl Timetable {
    /// Asks each destination once in this time.
    pub fn new(every: Duration) -> Self {
        Self { every }
    }

    /// The moment of the first request to the destination of a link that was not watched before:
    /// soon. `dice` is a random number.
    pub fn first(self, now: UnixMillis, dice: u16) -> UnixMillis {
        later(now, share(self.soon(), dice))
    }

    /// The moment of the next request. After a first failure it comes soon. Requests that came
    /// together spread: the time is a tenth longer or shorter. `dice` is a random number.
    pub fn next(self, now: UnixMillis, finding: &Finding, dice: u16) -> UnixMillis {
        let failing = finding.failing();
        let is_doubtful = failing.is_some_and(|failing| !failing.is_broken());
        let pause = if is_doubtful { self.soon() } else { self.every };
        let tenth = pause / 10;
        later(now, pause.saturating_sub(tenth) + share(tenth * 2, dice))
    }

    /// The latest moment of a next request.
    pub fn latest(self, now: UnixMillis) -> UnixMillis {
        later(now, self.every.saturating_add(self.every / 10))
    }

    /// The moment until which a host rests that was asked now: a second.
    pub fn rest(now: UnixMillis) -> UnixMillis {
        later(now, Duration::from_secs(1))
    }

    /// Returns whether each destination was to be asked once since a moment.
    pub fn is_over(self, since: UnixMillis, now: UnixMillis) -> bool {
        later(since, self.every) <= now
    }

    /// An hour, if destinations are asked daily.
    fn soon(self) -> Duration {
        (self.every / 24)
            .max(Duration::from_mins(1))
            .min(self.every)
    }
}

/// A part of a time, by a random number.
fn share(time: Duration, dice: u16) -> Duration {
    time / u32::from(u16::MAX) * u32::from(dice)
}

fn later(now: UnixMillis, pause: Duration) -> UnixMillis {
    let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
    UnixMillis::new(now.get().saturating_add(pause))
}

/// Returns whether visitors meet the destination of a link, now or once its time comes, and it can be
/// asked.
pub fn is_watched(link: &Link, now: UnixSeconds) -> bool {
    match link.status_at(now) {
        LinkStatus::Active | LinkStatus::Scheduled => {
            !host_to_ask(link.content.destination.as_str()).is_empty()
        }
        LinkStatus::Expired | LinkStatus::UsedUp | LinkStatus::Disabled => false,
    }
}

/// The host that a destination names, without its port. One host gets one request at a time. Empty
/// for a destination that is not asked over HTTP, such as `mailto:` or the address of an app.
pub fn host_to_ask(destination: &str) -> String {
    let url = Url::parse(destination).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    let host = url.as_ref().and_then(Url::host_str);
    host.map(str::to_lowercase).unwrap_or_default()
}

/// A link whose destination is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueLink {
    /// The link.
    pub link: Link,
    /// The finding about its present destination.
    pub finding: Finding,
    /// The right to ask.
    pub claim: WatchClaim,
}

/// The right to ask the destination of a link. Nobody else has it until it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchClaim {
    /// The identity of the link.
    pub link: LinkId,
    /// Its end.
    pub until: UnixMillis,
}

/// What came of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The destination.
    pub destination: Destination,
    /// The finding about it.
    pub finding: Finding,
    /// The moment of the next request.
    pub next_at: UnixMillis,
    /// The moment until which its host gets no request.
    pub rests_until: UnixMillis,
}

/// A part of putting links on the timetable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enrolment {
    /// The position to go on from. Links that are made later come after the position of the last
    /// link.
    pub position: i64,
    /// True if there are links after it.
    pub more: bool,
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn at(second: i64) -> UnixSeconds {
        UnixSeconds::new(second).unwrap()
    }

    fn outcome(result: Result<u16, ProbeFailure>) -> ProbeOutcome {
        ProbeOutcome {
            result,
            duration: Duration::ZERO,
            validator: None,
        }
    }

    #[test]
    fn two_failures_in_a_row_are_news_and_so_is_the_first_answer_after_them() {
        let mut finding = Finding::default();
        let mut news = Vec::new();
        let answers = [404, 200, 500, 404, 503, 204, 200];
        for (second, status) in (1..).zip(answers) {
            let (now, new) = judge(&finding, &outcome(Ok(status)), at(second));
            finding = now;
            news.push(new.map(|new| (new, finding.clone())));
        }
        let broken = Failing {
            since: at(3),
            checked_at: at(4),
            times: 2,
            answer: BadAnswer::Status(404),
        };
        let [broken, mended] = [
            Some((WatchNews::Broken, Finding::Failing(broken))),
            Some((WatchNews::Mended, Finding::Well(None))),
        ];
        assert_eq!(news, [None, None, None, broken, None, mended, None]);
    }

    #[rstest]
    #[case(Err(ProbeFailure::NotAllowed))]
    #[case(Ok(401))]
    #[case(Ok(403))]
    #[case(Ok(429))]
    #[case(Ok(999))]
    fn a_destination_that_does_not_serve_us_is_neither_broken_nor_mended(
        #[case] result: Result<u16, ProbeFailure>,
    ) {
        let silent = outcome(result);
        let well = Finding::Well(Validator::parse("\"1\""));
        assert_eq!(judge(&well, &silent, at(1)), (well, None));
        let failed = outcome(Err(ProbeFailure::Failed("x\n".repeat(900))));
        let (failing, _) = judge(&Finding::default(), &failed, at(1));
        assert_eq!(judge(&failing, &silent, at(2)), (Finding::default(), None));
        let (broken, _) = judge(&failing, &failed, at(2));
        assert_eq!(judge(&broken, &silent, at(3)), (broken.clone(), None));
        let broken = broken.failing().unwrap();
        assert_eq!(broken.answer, BadAnswer::Nothing("x".repeat(200).into()));
    }

    #[test]
    fn a_destination_that_has_not_changed_is_well() {
        let validator = Validator::parse("\"1\"");
        let unchanged = ProbeOutcome {
            validator: validator.clone(),
            ..outcome(Ok(304))
        };
        let found = judge(&Finding::default(), &unchanged, at(1));
        assert_eq!(found, (Finding::Well(validator), None));
    }

    #[rstest]
    #[case(86_400, 3_600)]
    #[case(600, 60)]
    #[case(2, 2)]
    fn requests_spread_and_a_first_failure_is_looked_at_soon(
        #[case] every: u64,
        #[case] soon: u64,
    ) {
        let now = UnixMillis::new(1_000_000);
        let table = Timetable::new(Duration::from_secs(every));
        let after = |moment: UnixMillis| u64::try_from(moment.get() - now.get()).unwrap();
        let failing = |times| {
            Finding::Failing(Failing {
                since: at(1),
                checked_at: at(1),
                times,
                answer: BadAnswer::Status(404),
            })
        };
        let well = Finding::default();
        let (every, soon) = (every * 1_000, soon * 1_000);
        let bounds = |from, until| move |moment| (from..=until).contains(&(after(moment) + 1));
        for dice in [0, 1, 30_000, u16::MAX] {
            assert!(bounds(0, soon + 1)(table.first(now, dice)));
            let usual = bounds(every * 9 / 10, every * 11 / 10 + 1);
            assert!(usual(table.next(now, &well, dice)));
            assert!(usual(table.next(now, &failing(2), dice)));
            assert!(table.next(now, &well, dice) <= table.latest(now));
            let doubtful = table.next(now, &failing(1), dice);
            assert!(bounds(soon * 9 / 10, soon * 11 / 10 + 1)(doubtful));
        }
        assert_ne!(table.next(now, &well, 0), table.next(now, &well, u16::MAX));
    }

    #[rstest]
    #[case("https://Docs.Example:8443/a?b", "docs.example")]
    #[case("http://[2001:db8::1]/", "[2001:db8::1]")]
    #[case("mailto:a@b.example", "")]
    #[case("itms-apps://apps.example/1", "")]
    fn the_host_to_ask_has_no_port(#[case] url: &str, #[case] host: &str) {
        assert_eq!(host_to_ask(url), host);
    }
}
