//! The question for links of visits that do not say whether there was a password.

use std::collections::{BTreeSet, HashSet};

use slugline_domain::{Choice, Dimension, LinkId, VisitFilter};

use super::{filter::RowFilter, plan::Plan};
use crate::{
    file::{error::EngineError, links, snapshot::Snapshot},
    format::column::Column,
};

/// Finds the links, or only some of them if there are more than the limit.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    mut filter: VisitFilter,
    limit: u32,
) -> Result<BTreeSet<LinkId>, EngineError> {
    let unrecorded = Choice::any_of([String::new()]);
    filter.values = vec![(Dimension::Protection, unrecorded)];
    let filter = RowFilter::resolve(snapshot.db(), &filter)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut numbers = HashSet::new();
    snapshot.scan(&Plan::of_rows(&filter), &[Column::Link], |block| {
        let mut before = None;
        for row in 0..block.rows {
            let link = block.link.at(row);
            // The rows of a link follow one another.
            if before.replace(link) != Some(link) && numbers.len() < limit {
                numbers.insert(link);
            }
        }
        Ok(())
    })?;
    let mut found = BTreeSet::new();
    for number in numbers {
        snapshot.check()?;
        // A link whose name was lost with a part of the file has none any more.
        let name = links::name(snapshot.db(), number)?;
        found.extend(name.and_then(|name| LinkId::parse(&name).ok()));
    }
    Ok(found)
}
