//! The question for visits over time.

use std::collections::HashMap;

use slugline_domain::{LocalSeconds, ViewRow, ViewsQuery};

use super::{
    answer::Answer,
    column::Column,
    crowd::{Crowd, Crowds},
    error::EngineError,
    filter::RowFilter,
    scan::Snapshot,
    wall_clock::WallClock,
};

/// Works the rows out.
pub(super) fn answer(
    snapshot: &Snapshot<'_>,
    query: &ViewsQuery,
) -> Result<Answer<ViewRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let mut columns = Crowds::COLUMNS.to_vec();
    columns.push(Column::Time);
    let mut clock = WallClock::new(&query.zone);
    let mut groups: HashMap<LocalSeconds, usize> = HashMap::new();
    let mut crowds = Crowds::default();
    let interval_max = snapshot.scan(&filter, &columns, |block| {
        let mut latest: Option<(LocalSeconds, usize)> = None;
        for row in 0..block.rows {
            let start = clock.read(block.time[row]).start_of(query.unit);
            // Rows of a chunk are in order of time: it is mostly the same one.
            let group = match latest {
                Some((known, group)) if known == start => group,
                Some(_) | None => {
                    let next = groups.len();
                    *groups.entry(start).or_insert(next)
                }
            };
            latest = Some((start, group));
            crowds.add(group, block, row);
        }
        Ok(())
    })?;
    let mut rows: Vec<ViewRow> = groups
        .into_iter()
        .map(|(start, group)| {
            let Crowd { visits, visitors } = crowds.get(group);
            ViewRow {
                start,
                visits,
                visitors,
            }
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.start);
    Ok(Answer::complete(rows, interval_max, crowds.are_sketched()))
}
