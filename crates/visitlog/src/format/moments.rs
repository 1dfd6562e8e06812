//! Visits and visitors of one day, by the quarter of an hour.
//!
//! All clocks differ from UTC by whole quarters. So a local hour or a local day takes whole
//! quarters of a UTC day, and these numbers give its visits and visitors. Visitors of parts do not
//! add up, so there is a number for each part that a question may need: from the start to any
//! quarter, from any quarter to the end, and for each hour that begins at any of the four quarters.

use slugline_domain::{LocalSeconds, Stretch, TimeUnit, UnixMillis};

use super::crowd::Crowd;

const MILLIS_PER_QUARTER: i64 = 900_000;
const SECONDS_PER_QUARTER: i64 = 900;

/// The quarters of a day.
pub(crate) const QUARTERS: usize = 96;

/// The quarters of an hour.
const OF_HOUR: usize = 4;

/// The hours of a day, by the quarter of an hour of UTC in which they begin. Unless that is the
/// first one, the day begins and ends within an hour.
const HOURS: [usize; OF_HOUR] = [24, 25, 25, 25];

/// Numbers of visitors.
const NUMBERS: usize = 2 * QUARTERS + HOURS[0] + HOURS[1] + HOURS[2] + HOURS[3];

/// The quarter of a moment, within its day.
pub(crate) fn quarter_of(moment_ms: i64) -> u8 {
    let of_day = moment_ms.rem_euclid(MILLIS_PER_QUARTER * 96) / MILLIS_PER_QUARTER;
    u8::try_from(of_day).expect("a day has 96 quarters")
}

/// The hour of a quarter, if hours begin this many quarters before those of UTC.
fn hour_of(quarter: usize, ahead: usize) -> usize {
    (quarter + ahead) / OF_HOUR
}

/// Sums the visitors of a day.
#[derive(Debug)]
pub(crate) struct VisitorSums {
    /// The change of each quarter to the visitors since the start, and to those until the end.
    from_start: Vec<i64>,
    to_end: Vec<i64>,
    hours: [Vec<i64>; OF_HOUR],
}

impl Default for VisitorSums {
    fn default() -> Self {
        Self {
            from_start: vec![0; QUARTERS],
            to_end: vec![0; QUARTERS],
            hours: HOURS.map(|hours| vec![0; hours]),
        }
    }
}

impl VisitorSums {
    /// Adds one visitor with the quarters and intervals of all its rows, which are in order of
    /// time. A visitor counts with the smallest interval of its rows.
    pub(crate) fn add(&mut self, rows: impl DoubleEndedIterator<Item = (u8, u32)> + Clone) {
        let rows = rows.map(|(quarter, interval)| (usize::from(quarter), i64::from(interval)));
        lessen(rows.clone(), |quarter| quarter, &mut self.from_start, false);
        lessen(
            rows.clone().rev(),
            |quarter| quarter,
            &mut self.to_end,
            false,
        );
        for (ahead, hours) in self.hours.iter_mut().enumerate() {
            lessen(rows.clone(), |quarter| hour_of(quarter, ahead), hours, true);
        }
    }

    /// The numbers as they are stored.
    pub(crate) fn numbers(self) -> Vec<u64> {
        let from_start = running_sums(self.from_start.into_iter());
        let mut to_end = running_sums(self.to_end.into_iter().rev());
        to_end.reverse();
        let hours = self.hours.into_iter().flatten();
        let all = from_start.into_iter().chain(to_end).chain(hours);
        all.map(i64::unsigned_abs).collect()
    }
}

fn running_sums(added: impl Iterator<Item = i64>) -> Vec<i64> {
    let running = added.scan(0, |sum, added| {
        *sum += added;
        Some(*sum)
    });
    running.collect()
}

/// Adds the visitor's weight to its first index; subtracts the difference at the index where a
/// smaller weight appears. With `apart`, each index starts anew.
fn lessen(
    rows: impl Iterator<Item = (usize, i64)>,
    position_of: impl Fn(usize) -> usize,
    sums: &mut [i64],
    apart: bool,
) {
    let mut smallest: Option<(usize, i64)> = None;
    for (quarter, interval) in rows {
        let position = position_of(quarter);
        let known = smallest.filter(|(before, _)| !apart || *before == position);
        match known {
            Some((_, known)) if known <= interval => smallest = Some((position, known)),
            Some((_, known)) => {
                sums[position] += interval - known;
                smallest = Some((position, interval));
            }
            None => {
                sums[position] += interval;
                smallest = Some((position, interval));
            }
        }
    }
}

/// The visits and visitors of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moments {
    day_start_ms: i64,
    visits: Vec<u64>,
    visitors: Vec<u64>,
}

impl Moments {
    /// Reads stored numbers; `None` if their count is wrong.
    pub(crate) fn new(day_start_ms: i64, visits: Vec<u64>, visitors: Vec<u64>) -> Option<Self> {
        (visits.len() == QUARTERS && visitors.len() == NUMBERS).then_some(Self {
            day_start_ms,
            visits,
            visitors,
        })
    }

    /// Visits and visitors of the whole day.
    pub(crate) fn whole(&self) -> Crowd {
        self.until(QUARTERS)
    }

    /// Visits and visitors before a quarter.
    fn until(&self, quarter: usize) -> Crowd {
        let last = quarter.checked_sub(1);
        Crowd {
            visits: self.visits[..quarter].iter().sum(),
            visitors: last.map_or(0, |last| self.visitors[last]),
        }
    }

    /// Visits and visitors from a quarter on.
    fn from(&self, quarter: usize) -> Crowd {
        Crowd {
            visits: self.visits[quarter..].iter().sum(),
            visitors: self.visitors[QUARTERS + quarter],
        }
    }

    /// Visits and visitors of an hour.
    fn hour(&self, ahead: usize, hour: usize) -> Crowd {
        let quarters = (0..QUARTERS).filter(|&quarter| hour_of(quarter, ahead) == hour);
        let hours_before: usize = HOURS[..ahead].iter().sum();
        Crowd {
            visits: quarters.map(|quarter| self.visits[quarter]).sum(),
            visitors: self.visitors[2 * QUARTERS + hours_before + hour],
        }
    }

    /// Visits and visitors of each hour or day of the clock that has any; `None` if the clock
    /// changes on this day, or if these numbers do not fit its hours.
    pub(crate) fn by_clock(
        &self,
        stretch: Stretch,
        unit: TimeUnit,
    ) -> Option<Vec<(LocalSeconds, Crowd)>> {
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
