//! The visitors with the most visits, on days whose visitors are nobody of another day.
//!
//! A scan hands over the tail, and then chunk after chunk, those of later days first. So the
//! visitors of one day are counted at a time, and of a day that the scan has left behind only
//! the first ones stay in memory.

use std::collections::BTreeMap;

use slugline_domain::RowLimit;

use super::{
    block::Block,
    frequent::{First, Frequent},
    groups::most_first,
    selection::keep_first,
};
use crate::utc::day_of;

/// The first visitors of all days so far, and the visits of each visitor of one day.
#[derive(Debug)]
pub(crate) struct DailyVisitors {
    limit: RowLimit,
    bytes: usize,
    /// The day whose chunks are being read.
    day: i64,
    counts: Frequent,
    /// Rows of the tail, by their day, until it is the turn of that day.
    tail: BTreeMap<i64, Vec<(u64, u32)>>,
    /// Rows that it may still have.
    room_in_tail: usize,
    first: Vec<(u64, u64)>,
    all: u64,
    /// False once a day, or the tail, has more than there is memory for.
    fits: bool,
}

impl DailyVisitors {
    /// Counts that take at most so many bytes.
    pub(crate) fn within(bytes: usize, limit: RowLimit) -> Self {
        /// The part of them for the tail, which usually has few rows.
        const TAIL: usize = 16;
        let bytes_of_tail = bytes / TAIL;
        let bytes = bytes - bytes_of_tail;
        Self {
            limit,
            bytes,
            day: i64::MAX,
            counts: Frequent::within(bytes),
            tail: BTreeMap::new(),
            room_in_tail: bytes_of_tail / size_of::<(u64, u32)>(),
            first: Vec::new(),
            all: 0,
            fits: true,
        }
    }

    /// Adds rows of the tail, or those of a chunk, which are of one day.
    pub(crate) fn add(&mut self, block: &Block) {
        let rows = (0..block.rows).map(|row| (block.visitor.at(row), block.interval.at(row)));
        if !self.fits {
            return;
        }
        if let Some(last_ms) = block.no_later_than {
            self.turn_to(day_of(last_ms));
            for (visitor, visits) in rows {
                self.counts.add(visitor, visits);
            }
        } else {
            match self.room_in_tail.checked_sub(block.rows) {
                Some(room) => self.room_in_tail = room,
                None => self.fits = false,
            }
            for (row, visits) in rows.enumerate() {
                let day = day_of(block.time.at(row));
                self.tail.entry(day).or_default().push(visits);
            }
        }
    }

    /// The first visitors of all days; `None` if they did not fit.
    pub(crate) fn finish(mut self) -> Option<First<u64>> {
        self.turn_to(i64::MIN);
        let Self {
            first, limit, all, ..
        } = self;
        self.fits.then(|| First::of(first, limit, 0, all))
    }

    /// Closes the day that is being read, and later ones that only the tail has.
    fn turn_to(&mut self, day: i64) {
        if day == self.day {
            return;
        }
        self.close();
        for rows in self.tail.split_off(&day.saturating_add(1)).into_values() {
            self.add_tail(rows);
            self.close();
        }
        self.day = day;
        if let Some(rows) = self.tail.remove(&day) {
            self.add_tail(rows);
        }
    }

    fn add_tail(&mut self, rows: Vec<(u64, u32)>) {
        for (visitor, visits) in rows {
            self.counts.add(visitor, visits);
        }
    }

    fn close(&mut self) {
        let counts = std::mem::replace(&mut self.counts, Frequent::within(self.bytes));
        let Ok(counted) = counts.again() else {
            self.fits = false;
            return;
        };
        let mut day = counted.first(self.limit);
        self.all += day.all;
        self.first.append(&mut day.rows);
        keep_first(&mut self.first, self.limit, most_first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::read::values::Values, utc::MILLIS_PER_DAY};

    /// Rows of the tail with their days, or those of a chunk.
    fn block(visitors: &[(u64, u32)], days: &[i64], chunk: Option<i64>) -> Block {
        Block {
            rows: visitors.len(),
            no_later_than: chunk.map(|day| day * MILLIS_PER_DAY + 5),
            time: Values::Each(days.iter().map(|day| day * MILLIS_PER_DAY).collect()),
            visitor: Values::Each(visitors.iter().map(|(visitor, _)| *visitor).collect()),
            interval: Values::Each(visitors.iter().map(|(_, visits)| *visits).collect()),
            ..Block::default()
        }
    }

    fn limit(rows: i64) -> RowLimit {
        RowLimit::new(rows, RowLimit::MAX).unwrap()
    }

    #[test]
    fn days_are_counted_one_after_the_other_with_their_rows_of_the_tail() {
        let mut daily = DailyVisitors::within(1 << 20, limit(3));
        let tail = [(91, 1), (70, 4), (50, 1), (30, 2), (50, 1)];
        daily.add(&block(&tail, &[9, 7, 5, 3, 5], None));
        daily.add(&block(&[(70, 1), (71, 1)], &[], Some(7)));
        daily.add(&block(&[(71, 1), (71, 1)], &[], Some(7)));
        daily.add(&block(&[(40, 9)], &[], Some(4)));
        let first = daily.finish().unwrap();
        assert_eq!(first.rows, [(40, 9), (70, 5), (71, 3)]);
        assert_eq!((first.all, first.is_estimate), (6, false));
    }

    #[test]
    fn only_one_day_has_to_fit() {
        const VISITORS: u64 = 30_000;
        let days = |each: u64| {
            let mut daily = DailyVisitors::within(1 << 20, limit(1));
            for day in (0..4_i64).rev() {
                let visitor = |n| (crate::engine::read::distinct::spread(n), 1);
                let first = u32::try_from(u64::try_from(day).unwrap() * each).unwrap();
                let visitors = first..first + u32::try_from(each).unwrap();
                let visitors: Vec<_> = visitors.map(visitor).collect();
                daily.add(&block(&visitors, &[], Some(day)));
            }
            daily.finish().map(|first| first.all)
        };
        assert_eq!(days(VISITORS), Some(4 * VISITORS));
        assert_eq!(days(4 * VISITORS), None);
    }

    #[test]
    fn a_tail_that_does_not_fit_is_given_up() {
        let mut daily = DailyVisitors::within(16 << 10, limit(1));
        let visitors = [(1, 1); 65];
        daily.add(&block(&visitors, &[3; 65], None));
        assert!(daily.finish().is_none());
    }
}
