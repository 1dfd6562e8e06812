//! The question for visits by hour of the week.

use slugline_domain::{HeatmapQuery, HeatmapRow, HourOfWeek};

use super::Answer;
use crate::engine::{
    read::{filter::RowFilter, scan::Snapshot, totals::Crowds, wall_clock::WallClock},
    store::{columns::Column, error::EngineError},
};

/// Works the rows out.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &HeatmapQuery,
) -> Result<Answer<HeatmapRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let mut columns = Crowds::COLUMNS.to_vec();
    columns.push(Column::Time);
    let mut clock = WallClock::new(&query.zone);
    let mut crowds = Crowds::default();
    let interval_max = snapshot.scan(&filter, &columns, |block| {
        let hour_of = |row| clock.read(block.time.at(row)).hour_of_week().get().into();
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
        })
        .collect();
    Ok(Answer::complete(rows, interval_max, crowds.are_sketched()))
}
