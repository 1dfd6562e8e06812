//! Visits by group of dictionary entries.

use std::cmp::Reverse;

use slugline_domain::{RowLimit, SamplingInterval};

use super::{
    answer::number, error::EngineError, filter::RowFilter, groups::Groups, ranking::keep_first,
    scan::Snapshot,
};

/// The groups with the most visits.
#[derive(Debug)]
pub(super) struct Ranked {
    /// Groups with their visits: most visits first, then by number.
    pub(super) groups: Vec<(usize, u64)>,
    /// How many groups have visits.
    pub(super) all: u64,
    pub(super) interval_max: SamplingInterval,
}

/// Counts the visits of each group.
pub(super) fn rank(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    groups: &Groups,
    limit: RowLimit,
) -> Result<Ranked, EngineError> {
    let table = groups.table();
    let mut visits = vec![0_u64; groups.len()];
    let interval_max = snapshot.scan(filter, &[table.column()], |block| {
        for (&id, &interval) in block.ids(table).iter().zip(&block.interval) {
            if let Some(group) = groups.of(id)? {
                visits[group] += u64::from(interval);
            }
        }
        Ok(())
    })?;
    let mut ranked: Vec<(usize, u64)> = visits
        .into_iter()
        .enumerate()
        .filter(|(_, visits)| *visits > 0)
        .collect();
    let all = number(ranked.len());
    keep_first(&mut ranked, limit.as_usize(), |(group, visits)| {
        (Reverse(*visits), *group)
    });
    Ok(Ranked {
        groups: ranked,
        all,
        interval_max,
    })
}
