//! Watching destinations: how far a round over all links is, and when to say a word about one.
//!
//! The watch asks the destination of visitors to whom no rule applies. What it finds belongs to the
//! text of that destination, so a link that leads elsewhere starts anew.

use std::time::Duration;

use url::Url;

use crate::{Link, LinkStatus, ProbeFailure, ProbeOutcome, UnixMillis, UnixSeconds};

/// A destination that did not answer, or answered with an error, in each of the last requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The first of these requests.
    pub since: UnixSeconds,
    /// The last of them.
    pub checked_at: UnixSeconds,
    /// The number of them.
    pub times: u32,
    /// The outcome of the last one.
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

/// The outcome of a request that failed.
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

/// Judges an answer, after the failures before it. Returns the failures that there are now. A
/// destination that we must not ask, or that turns us away, says nothing: one that was broken stays
/// so, and a first failure is forgotten.
pub fn judge(
    before: Option<&Failing>,
    outcome: &ProbeOutcome,
    now: UnixSeconds,
) -> (Option<Failing>, Option<WatchNews>) {
    let broken = before.filter(|failing| failing.is_broken());
    let answer = match &outcome.result {
        Err(ProbeFailure::NotAllowed) => return (broken.cloned(), None),
        Ok(status) if turns_us_away(*status) => return (broken.cloned(), None),
        Ok(_) if outcome.ok() => return (None, broken.map(|_| WatchNews::Mended)),
        Ok(status) => BadAnswer::Status(*status),
        Err(ProbeFailure::Failed(reason)) => BadAnswer::nothing(reason),
    };
    let failing = Failing {
        since: before.map_or(now, |before| before.since),
        checked_at: now,
        times: before.map_or(1, |before| before.times.saturating_add(1)),
        answer,
    };
    let is_news = failing.is_broken() && broken.is_none();
    (Some(failing), is_news.then_some(WatchNews::Broken))
}

/// Returns whether a server answers with this status to those whom it does not serve: people sign in
/// first, or programs are kept out. Its visitors may well see the page.
fn turns_us_away(status: u16) -> bool {
    // LinkedIn keeps programs out with 999, which no standard knows.
    matches!(status, 401 | 403 | 429 | 999)
}

/// A round of the watch over all links, in the order in which they were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchRound {
    /// Its start.
    pub started_at: UnixMillis,
    /// The number of the last link that was asked; 0 if none was.
    pub position: i64,
}

impl WatchRound {
    /// A round that starts now.
    pub fn start(now: UnixMillis) -> Self {
        Self {
            started_at: now,
            position: 0,
        }
    }

    /// The number of the link up to which a round of this length has come by now, so that links are
    /// asked evenly. `last` is the number of the newest link.
    pub fn target(self, every: Duration, last: i64, now: UnixMillis) -> i64 {
        let every = i64::try_from(every.as_millis()).unwrap_or(i64::MAX).max(1);
        let elapsed = now.get().saturating_sub(self.started_at.get());
        let share = i128::from(last) * i128::from(elapsed.clamp(0, every));
        i64::try_from(share / i128::from(every)).unwrap_or(last)
    }

    /// Returns whether its time is over and every link was asked.
    pub fn is_over(self, every: Duration, last: i64, now: UnixMillis) -> bool {
        let elapsed = now.get().saturating_sub(self.started_at.get());
        u128::try_from(elapsed).is_ok_and(|elapsed| elapsed >= every.as_millis())
            && self.position >= last
    }
}

/// The moment up to which first failures were found that are looked at again now, if each destination
/// is asked once in `every`: an hour ago, if that is a day.
pub fn second_look(every: Duration, now: UnixMillis) -> UnixSeconds {
    let soon = (every / 24).max(Duration::from_mins(1)).min(every);
    let soon = i64::try_from(soon.as_millis()).unwrap_or(i64::MAX);
    UnixMillis::new(now.get().saturating_sub(soon)).second()
}

/// The time for which a host rests after a request: a second, or less where so many links could not
/// all be asked in time. `last` is the number of the newest link.
pub fn host_rest(every: Duration, last: i64) -> Duration {
    let links = u32::try_from(last.max(1)).unwrap_or(u32::MAX);
    (every / links).min(Duration::from_secs(1))
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

/// A link whose destination is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedLink {
    /// The link.
    pub link: Link,
    /// The failures of its present destination.
    pub failing: Option<Failing>,
    /// True if failures are kept, of this destination or of one that the link had before.
    pub is_kept: bool,
}

/// Links to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedPiece {
    /// The links.
    pub links: Vec<WatchedLink>,
    /// The [position](WatchRound::position) of the round once they are asked.
    pub position: i64,
}

/// The right to ask destinations. One watcher has it at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchLease {
    /// The watcher, by a random number.
    pub watcher: i64,
    /// The end of the lease, unless the watcher prolongs it.
    pub until: UnixMillis,
}

/// The state that a watcher with the lease finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchTurn {
    /// The round to go on with; `None` if there was none.
    pub round: Option<WatchRound>,
    /// The number of the newest link; 0 if there is no link.
    pub last: i64,
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
        }
    }

    #[test]
    fn two_failures_in_a_row_are_news_and_so_is_the_first_answer_after_them() {
        let mut failing = None;
        let mut news = Vec::new();
        let answers = [404, 200, 500, 404, 503, 204, 200];
        for (second, status) in (1..).zip(answers) {
            let (now, new) = judge(failing.as_ref(), &outcome(Ok(status)), at(second));
            failing = now;
            news.push(new.map(|new| (new, failing.clone())));
        }
        let broken = Failing {
            since: at(3),
            checked_at: at(4),
            times: 2,
            answer: BadAnswer::Status(404),
        };
        let broken = Some((WatchNews::Broken, Some(broken)));
        let mended = Some((WatchNews::Mended, None));
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
        assert_eq!(judge(None, &silent, at(1)), (None, None));
        let failed = outcome(Err(ProbeFailure::Failed("x\n".repeat(900))));
        let (failing, _) = judge(None, &failed, at(1));
        assert_eq!(judge(failing.as_ref(), &silent, at(2)), (None, None));
        let (broken, _) = judge(failing.as_ref(), &failed, at(2));
        let still = judge(broken.as_ref(), &silent, at(3));
        assert_eq!(still, (broken.clone(), None));
        let answer = broken.unwrap().answer;
        assert_eq!(answer, BadAnswer::Nothing("x".repeat(200).into()));
    }

    #[rstest]
    #[case(1)]
    #[case(7)]
    #[case(1_000_000)]
    fn a_round_asks_every_link_once_and_evenly(#[case] last: i64) {
        const EVERY: Duration = Duration::from_hours(24);
        let moment = |second: i64| UnixMillis::new(1_000_000 + second * 1_000);
        let mut round = WatchRound::start(moment(0));
        let a_minute = last / 1_440 + 1;
        for minute in 1..=1_440 {
            assert!(!round.is_over(EVERY, last, moment(minute * 60 - 1)));
            let target = round.target(EVERY, last, moment(minute * 60));
            assert!((0..=a_minute).contains(&(target - round.position)));
            round.position = target;
        }
        assert_eq!(round.position, last);
        assert!(round.is_over(EVERY, last, moment(86_400)));
        assert!(!round.is_over(EVERY, last + 1, moment(86_400)));
        let late = round.target(EVERY, last + 1, moment(99_999));
        assert_eq!(late, last + 1, "the rest is due at once");
        let clock_went_back = round.target(EVERY, last, moment(-9));
        assert_eq!(clock_went_back, 0);
    }

    #[rstest]
    #[case(86_400, 3_600)]
    #[case(600, 60)]
    #[case(2, 2)]
    fn a_first_failure_is_looked_at_soon(#[case] every: u64, #[case] soon: i64) {
        let now = at(1_000_000).start();
        let every = Duration::from_secs(every);
        assert_eq!(second_look(every, now), at(1_000_000 - soon));
    }

    #[test]
    fn a_host_rests_for_a_second_unless_there_are_too_many_links() {
        let day = Duration::from_hours(24);
        assert_eq!(host_rest(day, 0), Duration::from_secs(1));
        assert_eq!(host_rest(day, 86_400), Duration::from_secs(1));
        assert_eq!(host_rest(day, 864_000), Duration::from_millis(100));
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
