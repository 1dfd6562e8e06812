//! The questions for visits over time, and by hour of the week.

use slugline_analytics::{moments::Crowd, number_map::NumberMap};
use slugline_domain::{
    HeatmapQuery, HeatmapRow, HourOfWeek, LocalSeconds, Stretch, TimeUnit, UnixMillis, ViewRow,
    ViewsQuery, ZoneOffsets,
};

use super::{answer::Answer, filter::RowFilter, plan::Plan, totals::Crowds};
use crate::{
    file::{day::known::KnownDay, error::EngineError, limits::QuestionMemory, snapshot::Snapshot},
    format::block::Column,
};

/// Computes the rows.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &ViewsQuery,
) -> Result<Answer<ViewRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let mut columns = Crowds::COLUMNS.to_vec();
    columns.push(Column::Time);
    let mut clock = WallClock::new(&query.zone);
    let mut spans = Spans::within(snapshot.memory());
    let of_day = |day: &KnownDay<'_>| day.by_clock(&query.zone, query.unit);
    let plan = Plan::with_days(snapshot, &filter, None, of_day, |parts| {
        for (start, crowd) in parts {
            spans.add_known(start, crowd);
        }
    })?;
    snapshot.scan(&plan, &columns, |block| {
        if let Some(last) = block.no_later_than {
            spans.close_after(last);
        }
        let mut latest: Option<(LocalSeconds, usize)> = None;
        let Spans { open, crowds, .. } = &mut spans;
        let group_of = |row| {
            let start = clock.read(block.time.at(row)).start_of(query.unit);
            // The rows of a link are in order of time, so the group is mostly the same.
            let group = match latest {
                Some((known, group)) if known == start => group,
                Some(_) | None => open.group(start),
            };
            latest = Some((start, group));
            Some(group)
        };
        crowds.add(block, group_of, |_, _| {});
        Ok(())
    })?;
    let sketched = spans.crowds.are_sketched();
    Ok(Answer::complete(spans.rows(), sketched))
}

/// The minutes, hours or days that have visits. Those that a scan has passed take only the memory
/// of their row.
#[derive(Debug)]
struct Spans {
    open: Open,
    crowds: Crowds,
    closed: Vec<ViewRow>,
    /// Spans from day totals, by their start in seconds.
    known: NumberMap<Crowd>,
    /// The moment after which no span is open.
    closed_after: i64,
}

/// The spans that may get more rows.
#[derive(Debug, Default)]
struct Open {
    /// The numbers of the spans, by their start in seconds.
    numbers: NumberMap<usize>,
    /// Numbers that no span has any more.
    free: Vec<usize>,
}

impl Open {
    fn group(&mut self, start: LocalSeconds) -> usize {
        let next = self.free.last().copied();
        let next = next.unwrap_or(self.numbers.len());
        let group = *self.numbers.entry(key(start)).or_insert(next);
        if group == next {
            self.free.pop();
        }
        group
    }
}

impl Spans {
    fn within(memory: QuestionMemory) -> Self {
        Self {
            open: Open::default(),
            crowds: Crowds::within(memory),
            closed: Vec::new(),
            known: NumberMap::default(),
            closed_after: i64::MAX,
        }
    }

    /// Adds visits and visitors from day totals. No row has one of these visitors.
    fn add_known(&mut self, start: LocalSeconds, crowd: Crowd) {
        *self.known.entry(key(start)).or_default() += crowd;
    }

    /// Closes spans that begin after a moment, because there are no later rows.
    fn close_after(&mut self, last_ms: i64) {
        /// No time zone is further ahead of UTC or behind it.
        const ZONES_MS: i64 = 26 * 3_600_000;
        let last_ms = last_ms.saturating_add(ZONES_MS);
        // A look at all spans pays off once per day of them.
        if last_ms > self.closed_after.saturating_sub(ZONES_MS) {
            return;
        }
        self.closed_after = last_ms;
        let (Open { numbers, free }, crowds) = (&mut self.open, &mut self.crowds);
        let (closed, known) = (&mut self.closed, &mut self.known);
        numbers.retain(|&start, &mut group| {
            let is_open = start.cast_signed().saturating_mul(1_000) <= last_ms;
            if !is_open {
                closed.push(row(start, crowds.take(group), known.remove(&start)));
                free.push(group);
            }
            is_open
        });
    }

    /// All rows, in order.
    fn rows(mut self) -> Vec<ViewRow> {
        for (start, group) in self.open.numbers {
            let known = self.known.remove(&start);
            self.closed.push(row(start, self.crowds.take(group), known));
        }
        for (start, known) in self.known {
            self.closed.push(row(start, known, None));
        }
        self.closed.sort_unstable_by_key(|row| row.start);
        self.closed
    }
}

fn key(start: LocalSeconds) -> u64 {
    start.get().cast_unsigned()
}

fn row(start: u64, mut crowd: Crowd, known: Option<Crowd>) -> ViewRow {
    crowd += known.unwrap_or_default();
    ViewRow {
        start: LocalSeconds::new(start.cast_signed()),
        visits: crowd.visits,
        visitors: crowd.visitors,
        variance: crowd.variance,
    }
}

/// The clocks of a zone. Rows follow each other in time, so the stretch of the last row mostly
/// holds for the next one.
#[derive(Debug)]
pub(crate) struct WallClock<'z> {
    zone: &'z ZoneOffsets,
    stretch: Stretch,
}

impl<'z> WallClock<'z> {
    pub(crate) fn new(zone: &'z ZoneOffsets) -> Self {
        Self {
            zone,
            stretch: zone.stretch_at(UnixMillis::new(0)),
        }
    }

    /// The local time at a moment in milliseconds since 1970.
    pub(crate) fn read(&mut self, time: i64) -> LocalSeconds {
        let moment = UnixMillis::new(time);
        if !self.stretch.contains(moment) {
            self.stretch = self.zone.stretch_at(moment);
        }
        self.stretch.local(moment)
    }
}

/// Computes the rows.
pub(crate) fn answer_by_week(
    snapshot: &Snapshot<'_>,
    query: &HeatmapQuery,
) -> Result<Answer<HeatmapRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let mut columns = Crowds::COLUMNS.to_vec();
    columns.push(Column::Time);
    let mut clock = WallClock::new(&query.zone);
    let mut crowds = Crowds::within(snapshot.memory());
    let of_day = |day: &KnownDay<'_>| day.by_clock(&query.zone, TimeUnit::Hour);
    let plan = Plan::with_days(snapshot, &filter, None, of_day, |hours| {
        for (start, crowd) in hours {
            crowds.add_known(start.hour_of_week().get().into(), crowd);
        }
    })?;
    snapshot.scan(&plan, &columns, |block| {
        let hour_of = |row| {
            let hour = clock.read(block.time.at(row)).hour_of_week();
            Some(hour.get().into())
        };
        crowds.add(block, hour_of, |_, _| {});
        Ok(())
    })?;
    let rows = (0..HourOfWeek::COUNT)
        .filter_map(HourOfWeek::new)
        .map(|hour| (hour, crowds.get(hour.get().into())))
        .filter(|(_, crowd)| crowd.visits > 0)
        .map(|(hour, crowd)| HeatmapRow {
            hour,
            visits: crowd.visits,
            visitors: crowd.visitors,
            variance: crowd.variance,
        })
        .collect();
    Ok(Answer::complete(rows, crowds.are_sketched()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use slugline_domain::{TimeUnit, UtcOffset, VisitFilter, ZoneOffsets};

    use super::*;
    use crate::{
        file::{limits::Deadline, schema, seal},
        format::{block::Numbers, block_builder::BlockBuilder},
        tests::rows::row,
    };

    #[test]
    fn hours_of_many_days_take_the_memory_of_a_few() {
        const DAYS: i64 = 40;
        const PER_HOUR: i64 = 50;
        const HOUR_MS: i64 = 3_600_000;
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for day in 0..DAYS {
            let mut draft = BlockBuilder::default();
            for number in 0..24 * PER_HOUR {
                let at = day * 24 * HOUR_MS + number % 24 * HOUR_MS + number;
                let row = row(at, (at * 7_919).unsigned_abs());
                draft.push(Numbers::of(&row, 1), &row);
            }
            seal::write(&db, &draft, None).unwrap();
        }
        let deadline = Deadline::after(Duration::from_mins(1));
        // Room for 8,192 visitors exactly, of 48,000.
        let memory = QuestionMemory::of(1 << 20);
        let snapshot = Snapshot::take(&mut db, deadline)
            .unwrap()
            .with_memory(memory);
        for offset in [-43_200, 0, 50_400] {
            let query = ViewsQuery {
                filter: VisitFilter::default(),
                unit: TimeUnit::Hour,
                zone: ZoneOffsets::fixed(UtcOffset::from_seconds(offset).unwrap()),
            };
            let answer = answer(&snapshot, &query).unwrap();
            assert!(!answer.sketched);
            assert!(answer.rows.is_sorted_by(|one, next| one.start < next.start));
            let hours = usize::try_from(DAYS * 24).unwrap();
            assert_eq!(answer.rows.len(), hours);
            let visits = PER_HOUR.unsigned_abs();
            let whole = |row: &ViewRow| (row.visits, row.visitors) == (visits, visits);
            assert!(answer.rows.iter().all(whole));
        }
    }
}
