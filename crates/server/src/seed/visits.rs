//! Visits over some weeks: more at day than at night, on weekdays than on Sundays, of few links
//! than of many, and one day with a peak.

use std::sync::Arc;

use anyhow::Context;
use slugline_analytics::Recorder;
use slugline_domain::{FollowedLink, Link, UnixMillis, Visit, VisitHeaders, Way, ports::VisitSink};

use super::{chance::Chance, links::Amount, people::Person};

/// The visits offered before this waits for the recorder; the recorder's queue has room for
/// more.
const AT_ONCE: usize = 4_096;

const SECONDS_A_DAY: i64 = 86_400;

/// The weight of each hour of a person's day.
const BY_HOUR: [u32; 24] = [
    8, 5, 3, 2, 2, 4, 10, 22, 38, 52, 58, 56, 50, 54, 57, 55, 50, 46, 42, 44, 46, 40, 28, 16,
];

/// The weights from Monday to Sunday.
const BY_WEEKDAY: [u32; 7] = [100, 108, 112, 104, 90, 52, 46];

const REFERERS: [(u32, &str); 11] = [
    (380, ""),
    (170, "https://www.google.com/"),
    (95, "https://www.linkedin.com/"),
    (85, "https://news.ycombinator.com/"),
    (70, "https://t.co/"),
    (55, "https://www.reddit.com/"),
    (50, "https://github.com/"),
    (35, "https://duckduckgo.com/"),
    (30, "https://mail.example.com/"),
    (20, "https://bsky.app/"),
    (10, "https://lobste.rs/"),
];

/// Draws the visits and stores them in order of time.
pub(super) async fn record(
    recorder: &Recorder,
    links: &[Link],
    amount: Amount,
    now: UnixMillis,
    chance: &mut Chance,
) -> anyhow::Result<()> {
    if links.is_empty() {
        return Ok(());
    }
    let links: Vec<Arc<FollowedLink>> =
        links.iter().map(FollowedLink::from).map(Arc::new).collect();
    let people: Vec<Person> = (0..=amount.visits / 3)
        .map(|_| Person::drawn(chance))
        .collect();
    let days = Days::until(now, amount.days, chance);
    let mut visits: Vec<Visit> = Vec::new();
    for _ in 0..amount.visits {
        // Some visitors follow a second link, or the same one again, soon after.
        let visit = match visits.last().filter(|_| chance.percent(28)) {
            Some(before) => again(before, &links, now, chance),
            None => one(&links, &people, &days, chance),
        };
        visits.push(visit);
    }
    visits.sort_by_key(|visit| visit.at);
    for (number, visit) in visits.into_iter().enumerate() {
        recorder.record(visit);
        if number % AT_ONCE == AT_ONCE - 1 {
            recorder.flush().await.context("storing visits")?;
        }
    }
    recorder.flush().await.context("storing visits")
}

fn one(links: &[Arc<FollowedLink>], people: &[Person], days: &Days, chance: &mut Chance) -> Visit {
    let person = &people[chance.position(people.len())];
    let (_, referer) = chance.weighted(&REFERERS, |(weight, _)| *weight);
    Visit {
        at: days.moment(person.ahead, chance),
        link: Arc::clone(popular(links, chance)),
        client: person.address,
        headers: VisitHeaders::new(person.user_agent, referer, person.languages),
        place: person.place.clone().map(Box::new),
        way: Way::Main,
    }
}

fn again(
    before: &Visit,
    links: &[Arc<FollowedLink>],
    now: UnixMillis,
    chance: &mut Chance,
) -> Visit {
    let later = before.at.get() + i64::from(20_000 + chance.below(1_200_000));
    let link = if chance.percent(60) {
        Arc::clone(&before.link)
    } else {
        Arc::clone(popular(links, chance))
    };
    Visit {
        at: UnixMillis::new(later.min(now.get())),
        link,
        ..before.clone()
    }
}

/// Each link has about three quarters of the visits of the one before it; after a while the
/// remaining links share the rest.
fn popular<'a>(links: &'a [Arc<FollowedLink>], chance: &mut Chance) -> &'a Arc<FollowedLink> {
    let favourite = links.iter().take(14).find(|_| chance.percent(16));
    favourite.unwrap_or_else(|| &links[chance.position(links.len())])
}

/// The days of the visits, and the weight of each.
struct Days {
    now: i64,
    /// The first second of a day in UTC, and its weight.
    days: Vec<(i64, u32)>,
}

impl Days {
    fn until(now: UnixMillis, count: u16, chance: &mut Chance) -> Self {
        let now = now.second().get();
        let today = now - now.rem_euclid(SECONDS_A_DAY);
        let busy = i64::from(count) * 2 / 5;
        let days = (0..i64::from(count.max(1)))
            .map(|ago| {
                let start = today - ago * SECONDS_A_DAY;
                // 1 January 1970 was a Thursday.
                let weekday = (start / SECONDS_A_DAY + 3).rem_euclid(7);
                let weekday = BY_WEEKDAY[usize::try_from(weekday).unwrap_or_default()];
                let growth = 100 + 60 * (i64::from(count) - ago) / i64::from(count.max(1));
                let news = if ago == busy {
                    260
                } else if ago + 1 == busy {
                    150
                } else {
                    100
                };
                let noise = 85 + chance.below(30);
                let growth = u32::try_from(growth).unwrap_or(100);
                (start, weekday * growth / 10 * news / 100 * noise / 100)
            })
            .collect();
        Self { now, days }
    }

    fn moment(&self, ahead: i64, chance: &mut Chance) -> UnixMillis {
        const HOURS: [usize; 24] = {
            let mut hours = [0; 24];
            let mut hour = 0;
            while hour < 24 {
                hours[hour] = hour;
                hour += 1;
            }
            hours
        };
        loop {
            let (start, _) = chance.weighted(&self.days, |(_, weight)| *weight);
            let hour = *chance.weighted(&HOURS, |hour| BY_HOUR[*hour]);
            let hour = (i64::try_from(hour).unwrap_or_default() - ahead).rem_euclid(24);
            let second = start + hour * 3_600 + i64::from(chance.below(3_600));
            // Today is not over: this draws a moment in the future again.
            if second <= self.now {
                return UnixMillis::new(second * 1_000 + i64::from(chance.below(1_000)));
            }
        }
    }
}
