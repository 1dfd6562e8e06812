//! When visits come, and why.

use slugline_domain::UnixMillis;

use super::{
    areas::AREAS,
    calendar::Calendar,
    dice::{Dice, index, whole},
    span::{DAYS, END},
    surges::{Surge, Surges},
};

/// Parts of all visits.
const CRAWLERS: f64 = 0.10;
const FETCHERS: f64 = 0.04;
const TOOLS: f64 = 0.03;
const VIRAL: f64 = 0.09;
const FLOODS: f64 = 0.06;
const PEOPLE: f64 = 1.0 - STEADY - SURGES;

/// The part of programs that come by night and by day.
const STEADY: f64 = CRAWLERS + FETCHERS + TOOLS;

/// The part of all visits in which a link goes viral or is flooded.
pub(super) const SURGES: f64 = VIRAL + FLOODS;

const MINUTES: u32 = DAYS * 24 * 60;

const MINUTE_MILLIS: i64 = 60_000;

/// The cause of a visit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    Person,
    Crawler,
    Fetcher,
    Tool,
    Surge(Surge),
}

/// The time of a visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) at: UnixMillis,
    /// After the first day's midnight.
    minute: u32,
}

impl Moment {
    pub(super) fn hour(self) -> u32 {
        self.minute / 60
    }

    pub(super) fn day(self) -> u32 {
        self.minute / (60 * 24)
    }
}

/// All minutes with their visits.
#[derive(Debug)]
pub(super) struct Schedule {
    calendar: Calendar,
    surges: Surges,
    minutes: Vec<Minute>,
    /// The current minute, and its visits so far.
    minute: u32,
    so_far: u32,
}

#[derive(Clone, Copy, Debug)]
struct Minute {
    visits: u32,
    /// The parts of all visits that come in this minute.
    of_people: f64,
    in_surges: f64,
}

impl Schedule {
    pub(super) fn new(count: u32, dice: &mut Dice) -> Self {
        let calendar = Calendar::new();
        let areas = AREAS.each_ref().map(|area| area.people);
        let surges = Surges::new(MINUTES, VIRAL, FLOODS, &areas, dice);
        // No two days are alike.
        let days: Vec<f64> = (0..DAYS).map(|_| dice.between(0.85, 1.15)).collect();
        let mut people: Vec<f64> = (0..MINUTES)
            .map(|minute| calendar.people(since_1970(minute)) * days[index(minute / 1_440)])
            .collect();
        let all: f64 = people.iter().sum();
        for minute in &mut people {
            *minute *= PEOPLE / all;
        }
        let (mut sum, mut given) = (0.0, 0);
        let minutes = people
            .into_iter()
            .zip(surges.by_minute(MINUTES))
            .map(|(of_people, in_surges)| {
                sum += of_people + in_surges + STEADY / f64::from(MINUTES);
                let due = whole(f64::from(count) * sum + 0.5).min(count);
                let visits = due - given;
                given = due;
                Minute {
                    visits,
                    of_people,
                    in_surges,
                }
            })
            .collect();
        Self {
            calendar,
            surges,
            minutes,
            minute: 0,
            so_far: 0,
        }
    }

    /// The next visit.
    pub(super) fn next(&mut self, dice: &mut Dice) -> Option<(Moment, Reason)> {
        let mut minute = *self.minutes.get(index(self.minute))?;
        while self.so_far == minute.visits {
            self.minute += 1;
            self.so_far = 0;
            minute = *self.minutes.get(index(self.minute))?;
            self.surges.move_to(self.minute);
        }
        let millis = i64::from(self.so_far) * MINUTE_MILLIS / i64::from(minute.visits);
        self.so_far += 1;
        let at = UnixMillis::new(since_1970(self.minute) * MINUTE_MILLIS + millis);
        let moment = Moment {
            at,
            minute: self.minute,
        };
        Some((moment, self.reason(minute, dice)))
    }

    fn reason(&self, minute: Minute, dice: &mut Dice) -> Reason {
        let steady = STEADY / f64::from(MINUTES);
        let drawn = dice.unit() * (minute.of_people + minute.in_surges + steady);
        if drawn < minute.of_people {
            return Reason::Person;
        }
        if drawn < minute.of_people + minute.in_surges
            && let Some(surge) = self.surges.any(dice)
        {
            return Reason::Surge(surge);
        }
        match dice.unit() * STEADY {
            draw if draw < CRAWLERS => Reason::Crawler,
            draw if draw < CRAWLERS + FETCHERS => Reason::Fetcher,
            _ => Reason::Tool,
        }
    }

    /// The area of a person who visits a link now.
    pub(super) fn area(&self, dice: &mut Dice) -> usize {
        self.calendar.area(since_1970(self.minute), dice)
    }
}

/// The minute since 1970.
fn since_1970(minute: u32) -> i64 {
    END.get() / 60 - i64::from(MINUTES) + i64::from(minute)
}
