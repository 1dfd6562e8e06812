//! Visits and visitors of one day, by the quarter of an hour, with their variance if any visit was
//! sampled.
//!
//! All clocks differ from UTC by whole quarters. So a local hour or a local day takes whole
//! quarters of a UTC day, and these numbers give its visits and visitors. Visitors of parts do not
//! add up, so there is a number for each part that a question may need: from the start to any
//! quarter, from any quarter to the end, and for each hour that begins at any of the four quarters.

use std::ops::AddAssign;

use slugline_domain::{LocalSeconds, Stretch, TimeUnit, UnixMillis, Variance};

const MILLIS_PER_QUARTER: i64 = 900_000;
const SECONDS_PER_QUARTER: i64 = 900;

/// The quarters of a day.
pub const QUARTERS: usize = 96;

/// The quarters of an hour.
const OF_HOUR: usize = 4;

/// The hours of a day, by the quarter of an hour of UTC in which they begin. Unless that is the
/// first one, the day begins and ends within an hour.
const HOURS: [usize; OF_HOUR] = [24, 25, 25, 25];

/// Numbers of visitors.
const NUMBERS: usize = 2 * QUARTERS + HOURS[0] + HOURS[1] + HOURS[2] + HOURS[3];

/// The quarter of a moment, within its day.
pub fn quarter_of(moment_ms: i64) -> u8 {
    let of_day = moment_ms.rem_euclid(MILLIS_PER_QUARTER * 96) / MILLIS_PER_QUARTER;
    u8::try_from(of_day).expect("a day has 96 quarters")
}

/// The hour of a quarter, if hours begin this many quarters before those of UTC.
fn hour_of(quarter: usize, ahead: usize) -> usize {
    (quarter + ahead) / OF_HOUR
}

/// A number for each part of a day, as changes from one part to the next.
#[derive(Debug)]
struct Parts {
    /// The change of each quarter to the sum since the start, and to that until the end.
    from_start: Vec<i64>,
    to_end: Vec<i64>,
    hours: [Vec<i64>; OF_HOUR],
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            from_start: vec![0; QUARTERS],
            to_end: vec![0; QUARTERS],
            hours: HOURS.map(|hours| vec![0; hours]),
        }
    }
}

impl Parts {
    /// Adds to every part that has a quarter.
    fn add(&mut self, quarter: usize, amount: i64) {
        let add = |sum: &mut i64| *sum = sum.saturating_add(amount);
        add(&mut self.from_start[quarter]);
        add(&mut self.to_end[quarter]);
        for (ahead, hours) in self.hours.iter_mut().enumerate() {
            add(&mut hours[hour_of(quarter, ahead)]);
        }
    }

    /// The numbers as they are stored.
    fn numbers(self) -> Vec<u64> {
        let from_start = running_sums(self.from_start.into_iter());
        let mut to_end = running_sums(self.to_end.into_iter().rev());
        to_end.reverse();
        let hours = self.hours.into_iter().flatten();
        let all = from_start.into_iter().chain(to_end).chain(hours);
        all.map(i64::unsigned_abs).collect()
    }
}

impl AddAssign<&Self> for Parts {
    fn add_assign(&mut self, other: &Self) {
        let of_hours = self.hours.iter_mut().zip(&other.hours);
        let lists = [
            (&mut self.from_start, &other.from_start),
            (&mut self.to_end, &other.to_end),
        ];
        for (sums, added) in lists.into_iter().chain(of_hours) {
            for (sum, added) in sums.iter_mut().zip(added) {
                *sum = sum.saturating_add(*added);
            }
        }
    }
}

fn running_sums(added: impl Iterator<Item = i64>) -> Vec<i64> {
    let running = added.scan(0, |sum: &mut i64, added| {
        *sum = sum.saturating_add(added);
        Some(*sum)
    });
    running.collect()
}

/// Sums the visitors of a day, and the variance of visits and visitors.
#[derive(Debug, Default)]
pub struct VisitorSums {
    visitors: Parts,
    visit_variance: Parts,
    visitor_variance: Parts,
}

impl VisitorSums {
    /// Adds one visitor with the quarters and intervals of all its rows, which are in order of
    /// time. A visitor counts with the smallest interval of its rows.
    pub fn add(&mut self, rows: impl DoubleEndedIterator<Item = (u8, u32)> + Clone) {
        self.add_alike(rows, 1);
    }

    /// Adds some visitors, each with these rows.
    pub fn add_alike(
        &mut self,
        rows: impl DoubleEndedIterator<Item = (u8, u32)> + Clone,
        visitors: u64,
    ) {
        let times = i64::try_from(visitors).unwrap_or(i64::MAX);
        let rows = rows.map(|(quarter, interval)| (usize::from(quarter), i64::from(interval)));
        self.walk(
            rows.clone(),
            |quarter| quarter,
            |parts| &mut parts.from_start,
            (false, times),
        );
        self.walk(
            rows.clone().rev(),
            |quarter| quarter,
            |parts| &mut parts.to_end,
            (false, times),
        );
        for ahead in 0..OF_HOUR {
            let hour = |quarter| hour_of(quarter, ahead);
            self.walk(
                rows.clone(),
                hour,
                |parts| &mut parts.hours[ahead],
                (true, times),
            );
        }
    }

    /// Adds the variance of visits that chance kept.
    pub fn add_chance(&mut self, quarter: u8, variance: u64) {
        let variance = i64::try_from(variance).unwrap_or(i64::MAX);
        self.visit_variance.add(usize::from(quarter), variance);
    }

    /// The numbers of visitors as they are stored, and the variance of visits and of visitors if
    /// any row was sampled.
    pub fn numbers(self) -> (Vec<u64>, Option<[Vec<u64>; 2]>) {
        let variance = [
            self.visit_variance.numbers(),
            self.visitor_variance.numbers(),
        ];
        let is_sampled = variance.iter().flatten().any(|&variance| variance > 0);
        (self.visitors.numbers(), is_sampled.then_some(variance))
    }

    /// Adds what each row of a visitor changes, at its position, and so many times. With `apart`,
    /// each position starts anew.
    fn walk(
        &mut self,
        rows: impl Iterator<Item = (usize, i64)>,
        position_of: impl Fn(usize) -> usize,
        list: impl Fn(&mut Parts) -> &mut Vec<i64>,
        (apart, times): (bool, i64),
    ) {
        let mut seen = Seen::default();
        let mut before = None;
        for (quarter, interval) in rows {
            let position = position_of(quarter);
            if apart && before != Some(position) {
                seen = Seen::default();
            }
            before = Some(position);
            let known = seen;
            seen.add(interval);
            for (parts, amount) in [
                (&mut self.visitors, seen.smallest - known.smallest),
                (
                    &mut self.visit_variance,
                    seen.of_visits() - known.of_visits(),
                ),
                (
                    &mut self.visitor_variance,
                    seen.of_visitors() - known.of_visitors(),
                ),
            ] {
                let sum = &mut list(parts)[position];
                *sum = sum.saturating_add(amount.saturating_mul(times));
            }
        }
    }
}

impl AddAssign<&Self> for VisitorSums {
    /// Adds the sums of other visitors.
    fn add_assign(&mut self, other: &Self) {
        self.visitors += &other.visitors;
        self.visit_variance += &other.visit_variance;
        self.visitor_variance += &other.visitor_variance;
    }
}

/// The rows of a visitor so far.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The smallest interval; 0 without a row.
    smallest: i64,
    /// The sum of the intervals of sampled rows, and their number.
    sum: i64,
    rows: i64,
}

impl Seen {
    fn add(&mut self, interval: i64) {
        if self.smallest == 0 || interval < self.smallest {
            self.smallest = interval;
        }
        if interval > 1 {
            self.sum += interval;
            self.rows += 1;
        }
    }

    fn of_visits(self) -> i64 {
        self.sum.saturating_mul(self.sum - self.rows)
    }

    fn of_visitors(self) -> i64 {
        self.smallest.saturating_mul((self.smallest - 1).max(0))
    }
}

/// The visits and visitors of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    day_start_ms: i64,
    visits: Vec<u64>,
    visitors: Vec<u64>,
    /// Of visits and of visitors.
    variance: Option<[Vec<u64>; 2]>,
}

impl Moments {
    /// Reads stored numbers; `None` if their count is wrong.
    pub fn new(
        day_start_ms: i64,
        visits: Vec<u64>,
        visitors: Vec<u64>,
        variance: Option<[Vec<u64>; 2]>,
    ) -> Option<Self> {
        let has_parts = |of: &Vec<u64>| of.len() == NUMBERS;
        let is_right = visits.len() == QUARTERS
            && has_parts(&visitors)
            && variance.iter().flatten().all(has_parts);
        is_right.then_some(Self {
            day_start_ms,
            visits,
            visitors,
            variance,
        })
    }

    /// The numbers of a day without visits.
    pub fn none(day_start_ms: i64) -> Self {
        Self {
            day_start_ms,
            visits: vec![0; QUARTERS],
            visitors: vec![0; NUMBERS],
            variance: None,
        }
    }

    /// The crowd of some quarters, whose visitors have this position.
    fn crowd(&self, visits: u64, position: Option<usize>) -> Crowd {
        let variance = |of: usize, position: usize| {
            let all = self.variance.as_ref();
            all.map_or(0, |all| all[of][position])
        };
        position.map_or_else(Crowd::default, |position| Crowd {
            visits,
            visitors: self.visitors[position],
            variance: Variance {
                visits: variance(0, position),
                visitors: variance(1, position),
            },
        })
    }

    /// Visits and visitors of the whole day.
    pub fn whole(&self) -> Crowd {
        self.until(QUARTERS)
    }

    /// Visits and visitors before a quarter.
    fn until(&self, quarter: usize) -> Crowd {
        self.crowd(self.visits[..quarter].iter().sum(), quarter.checked_sub(1))
    }

    /// Visits and visitors from a quarter on.
    fn from(&self, quarter: usize) -> Crowd {
        let visits = self.visits[quarter..].iter().sum();
        self.crowd(visits, Some(QUARTERS + quarter))
    }

    /// Visits and visitors of an hour.
    fn hour(&self, ahead: usize, hour: usize) -> Crowd {
        let quarters = (0..QUARTERS).filter(|&quarter| hour_of(quarter, ahead) == hour);
        let hours_before: usize = HOURS[..ahead].iter().sum();
        let visits = quarters.map(|quarter| self.visits[quarter]).sum();
        self.crowd(visits, Some(2 * QUARTERS + hours_before + hour))
    }

    /// Visits and visitors of each hour or day of the clock that has any; `None` if the clock
    /// changes on this day, or if these numbers do not fit its hours.
    pub fn by_clock(&self, stretch: Stretch, unit: TimeUnit) -> Option<Vec<(LocalSeconds, Crowd)>> {
        let ahead = quarters_ahead(stretch, self.day_start_ms)?;
        let of_hour = usize::try_from(ahead.rem_euclid(4)).ok()?;
        let parts: Vec<(usize, Crowd)> = match unit {
            TimeUnit::Minute => return None,
            TimeUnit::Hour => (0..HOURS[of_hour])
                .map(|hour| {
                    let first = (hour * OF_HOUR).saturating_sub(of_hour);
                    (first, self.hour(of_hour, hour))
                })
                .collect(),
            TimeUnit::Day => {
                let midnight = usize::try_from((-ahead).rem_euclid(96)).ok()?;
                vec![(0, self.until(midnight)), (midnight, self.from(midnight))]
            }
        };
        let parts = parts.into_iter().filter(|(_, crowd)| crowd.visits > 0);
        let local = |quarter: usize| {
            let offset = i64::try_from(quarter).unwrap_or(0) * MILLIS_PER_QUARTER;
            let moment = UnixMillis::new(self.day_start_ms.saturating_add(offset));
            stretch.local(moment).start_of(unit)
        };
        Some(parts.map(|(first, crowd)| (local(first), crowd)).collect())
    }
}

/// The quarters of an hour by which clocks are ahead of UTC on the whole day; `None` if that
/// changes.
fn quarters_ahead(stretch: Stretch, day_start_ms: i64) -> Option<i64> {
    let last = day_start_ms.saturating_add(MILLIS_PER_QUARTER * 96 - 1);
    let is_constant = [day_start_ms, last].map(|at| stretch.contains(UnixMillis::new(at)));
    let seconds = i64::from(stretch.offset.seconds());
    let whole = seconds % SECONDS_PER_QUARTER == 0;
    (is_constant == [true; 2] && whole).then_some(seconds / SECONDS_PER_QUARTER)
}

/// Some visits, and their distinct visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    pub visits: u64,
    pub visitors: u64,
    pub variance: Variance,
}

impl AddAssign for Crowd {
    /// Adds a crowd of other visitors. A sum beyond all numbers stays at the largest one: estimates
    /// may come close to it.
    fn add_assign(&mut self, other: Self) {
        self.visits = self.visits.saturating_add(other.visits);
        self.visitors = self.visitors.saturating_add(other.visitors);
        self.variance += other.variance;
    }
}
