//! The question for totals of every slug and destination.

use std::{cmp::Reverse, vec};

use async_trait::async_trait;
use hashbrown::HashMap;
use slugline_domain::{AccessRow, AccessRows, Dimension, VisitFilter, ports::VisitLogError};

use crate::engine::{
    read::{
        dictionary::Interner, filter::RowFilter, scan::Snapshot, selection::index, totals::Totals,
    },
    store::{
        columns::{Column, Family, text_of},
        error::EngineError,
    },
};

/// Rows that are handed out in one go.
const ROWS_AT_A_TIME: usize = 1_000;

/// Works the rows out.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    filter: &VisitFilter,
) -> Result<Vec<AccessRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), filter)?;
    let shown = [Dimension::Slug, Dimension::Url].map(text_of);
    let columns = [&Totals::columns()[..], &shown.map(Column::Text)].concat();
    let [mut slugs, mut urls]: [Interner; 2] = Default::default();
    let mut groups: HashMap<(u32, u32), usize> = HashMap::new();
    let mut totals = Totals::default();
    snapshot.scan(&filter, &columns, |block| {
        let [slug, url] = shown.map(|column| block.texts(column));
        let codes = block.codes(Family::Target);
        let mut known: Vec<Option<usize>> = vec![None; block.entries(Family::Target)];
        totals.add(block, |row| {
            let entry = codes.at(row);
            *known[index(entry)].get_or_insert_with(|| {
                let shown = (slugs.number(slug.get(entry)), urls.number(url.get(entry)));
                let next = groups.len();
                *groups.entry(shown).or_insert(next)
            })
        });
        Ok(())
    })?;
    let mut rows = Vec::with_capacity(groups.len());
    for ((slug, url), group) in groups {
        let counters = totals.counters(group);
        rows.push(AccessRow {
            slug: slugs.texts.get(slug).to_owned(),
            url: urls.texts.get(url).to_owned(),
            visitors: counters.visitors,
            visits: counters.visits,
            referers: counters.referers,
        });
    }
    rows.sort_unstable_by(|one, other| {
        let key = |row: &AccessRow| Reverse(row.visits);
        let texts = || (&one.slug, &one.url).cmp(&(&other.slug, &other.url));
        key(one).cmp(&key(other)).then_with(texts)
    });
    Ok(rows)
}

/// Rows on their way out.
#[derive(Debug)]
pub(crate) struct Rows(pub(crate) vec::IntoIter<AccessRow>);

#[async_trait]
impl AccessRows for Rows {
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError> {
        Ok(self.0.by_ref().take(ROWS_AT_A_TIME).collect())
    }
}
