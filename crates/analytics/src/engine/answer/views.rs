//! The question for visits over time.

use slugline_domain::{LocalSeconds, ViewRow, ViewsQuery};

use super::Answer;
use crate::engine::{
    day::known::{self, KnownDay},
    read::{
        filter::RowFilter,
        scan::Snapshot,
        totals::{Crowd, Crowds},
        wall_clock::WallClock,
    },
    store::{columns::Column, error::EngineError},
};
use crate::number_map::NumberMap;

/// Works the rows out.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &ViewsQuery,
) -> Result<Answer<ViewRow>, EngineError> {
    let mut filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let mut columns = Crowds::COLUMNS.to_vec();
    columns.push(Column::Time);
    let mut clock = WallClock::new(&query.zone);
    // By the start, in seconds.
    let mut groups: NumberMap<usize> = NumberMap::default();
    let mut crowds = Crowds::default();
    let of_day = |day: &KnownDay<'_>| day.by_clock(&query.zone, query.unit);
    let known = known::take(snapshot, &mut filter, None, of_day, |_, parts| {
        for (start, crowd) in parts {
            let next = groups.len();
            let group = *groups.entry(start.get().cast_unsigned()).or_insert(next);
            crowds.add_known(group, crowd);
        }
    })?;
    let interval_max = snapshot.scan(&filter, &columns, |block| {
        let mut latest: Option<(LocalSeconds, usize)> = None;
        let group_of = |row| {
            let start = clock.read(block.time.at(row)).start_of(query.unit);
            // The rows of a link are in order of time: it is mostly the same one.
            let group = match latest {
                Some((known, group)) if known == start => group,
                Some(_) | None => {
                    let next = groups.len();
                    *groups.entry(start.get().cast_unsigned()).or_insert(next)
                }
            };
            latest = Some((start, group));
            group
        };
        crowds.add(block, group_of, |_, _| {});
        Ok(())
    })?;
    let mut rows: Vec<ViewRow> = groups
        .into_iter()
        .map(|(start, group)| {
            let Crowd { visits, visitors } = crowds.get(group);
            ViewRow {
                start: LocalSeconds::new(start.cast_signed()),
                visits,
                visitors,
            }
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.start);
    Ok(Answer::complete(
        rows,
        interval_max.max(known),
        crowds.are_sketched(),
    ))
}
