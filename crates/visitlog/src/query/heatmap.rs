//! The question for visits by hour of the week.

use slugline_domain::{HeatmapQuery, HeatmapRow, HourOfWeek, TimeUnit};

use super::{answer::Answer, filter::RowFilter, plan::Plan, totals::Crowds, wall_clock::WallClock};
use crate::{
    file::{day::known::KnownDay, error::EngineError, snapshot::Snapshot},
    format::column::Column,
};

/// Computes the rows.
pub(crate) fn answer(
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
