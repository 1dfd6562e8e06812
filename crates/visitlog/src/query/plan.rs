//! The plan of a question: the days that it takes from their totals, and the chunks that it scans.
//!
//! A question about a segment of all visits, which may also have conditions on the texts that it
//! ranks, takes the totals of each day that is wholly in its time range, has totals, has no row in
//! the tail, and has no row that is being erased. It scans everything else. So the answer equals that of a scan of all
//! rows.

use slugline_analytics::utc::without_days;

use super::filter::RowFilter;
use crate::file::{day::known::KnownDay, day_totals, error::EngineError, snapshot::Snapshot, tail};

/// The rows that a question scans: those that meet the conditions of its filter, without the chunks
/// of days whose totals it takes.
#[derive(Debug)]
pub(crate) struct Plan<'f> {
    filter: &'f RowFilter,
    /// Time ranges in milliseconds, inclusive; later ones first.
    spans_back: Vec<(i64, i64)>,
}

impl<'f> Plan<'f> {
    /// Makes a plan that scans all rows that meet the conditions.
    pub(crate) fn of_rows(filter: &'f RowFilter) -> Self {
        Self {
            filter,
            spans_back: vec![filter.time_range()],
        }
    }

    /// Makes a plan that takes each day with totals from them, and scans the rest. It reads the
    /// totals by `read`, and passes the result to `see`.
    ///
    /// The question may have conditions on the texts of column `of`, which `see` has to apply. The
    /// plan scans a day if `read` returns `None`, if its totals are damaged, or if they may have
    /// texts that the question hides.
    pub(crate) fn with_days<T>(
        snapshot: &Snapshot<'_>,
        filter: &'f RowFilter,
        of: Option<usize>,
        read: impl Fn(&KnownDay<'_>) -> Result<Option<T>, EngineError>,
        mut see: impl FnMut(T),
    ) -> Result<Self, EngineError> {
        let mut plan = Self::of_rows(filter);
        let Some((days, segment)) = filter.whole_days().zip(filter.segment(of)) else {
            return Ok(plan);
        };
        let mut taken = Vec::new();
        let conceals = of.is_some_and(|column| filter.conceals(column));
        let in_tail = tail::days(snapshot.db())?;
        let with_erased = filter.days_with_erased(snapshot, days)?;
        for day in day_totals::days(snapshot.db(), days)? {
            snapshot.check()?;
            let is_in_tail = in_tail.iter().any(|days| days.contains(&day));
            if is_in_tail || with_erased.contains(&day) {
                continue;
            }
            let day = KnownDay::of(snapshot.db(), day, segment);
            let hides_nothing = if conceals {
                day.hides_nothing()
            } else {
                Ok(true)
            };
            let found = hides_nothing.and_then(
                |hides_nothing| {
                    if hides_nothing { read(&day) } else { Ok(None) }
                },
            );
            match found {
                Ok(Some(totals)) => {
                    taken.push(day.day);
                    see(totals);
                }
                Ok(None) => {}
                // The plan scans the rows of a day with damaged totals.
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error),
            }
        }
        plan.spans_back = without_days(filter.time_range(), taken);
        plan.spans_back.reverse();
        Ok(plan)
    }

    /// The conditions on the rows.
    pub(crate) fn filter(&self) -> &'f RowFilter {
        self.filter
    }

    /// The time ranges of the chunks to scan, later ones first: milliseconds, inclusive.
    pub(crate) fn spans_back(&self) -> &[(i64, i64)] {
        &self.spans_back
    }
}
