//! The question for the counters of every slug and destination.
//!
//! There may be any number of them, so they are counted in shares, and rows that do not fit into
//! memory wait in a file.

use std::hash::BuildHasher;

use async_trait::async_trait;
use hashbrown::DefaultHashBuilder;
use slugline_analytics::columns::{Family, text_of};
use slugline_domain::{
    AccessRow, AccessRows, Dimension, SamplingNote, VisitFilter, ports::VisitLogError,
};

use super::{
    bounded_groups::{HashRange, SharedGroups, Shown},
    filter::RowFilter,
    plan::Plan,
    sorted_rows::{Collector, SortedRows},
    totals::Totals,
};
use crate::{
    file::{error::EngineError, snapshot::Snapshot},
    format::{block::Column, selection::index},
};

/// The number of rows returned at once.
const ROWS_AT_A_TIME: usize = 1_000;

/// Rows, with their accuracy.
#[derive(Debug)]
pub(crate) struct LinkTotals {
    pub(crate) rows: SortedRows,
    /// True if there were too many visitors or referers to count one by one.
    pub(crate) sketched: bool,
}

/// Computes the rows.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    filter: &VisitFilter,
) -> Result<LinkTotals, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), filter)?;
    let shown = [Dimension::Slug, Dimension::Url].map(text_of);
    let columns = [&Totals::columns()[..], &shown.map(Column::Text)].concat();
    let hash = DefaultHashBuilder::default();
    let mut rows = Collector::beside(snapshot.db(), snapshot.memory().groups() / 2);
    let mut sketched = false;
    let mut next = Some(HashRange::ALL);
    while let Some(share) = next {
        let mut targets = SharedGroups::within(snapshot.memory(), share);
        snapshot.scan(&Plan::of_rows(&filter), &columns, |block| {
            let [slugs, urls] = shown.map(|column| block.texts(column));
            let codes = block.codes(Family::VisitedLink);
            let mut known: Vec<Option<Option<usize>>> =
                vec![None; block.entries(Family::VisitedLink)];
            targets.add(block, |targets, row| {
                let entry = codes.at(row);
                *known[index(entry)].get_or_insert_with(|| {
                    let (slug, url) = (slugs.get(entry), urls.get(entry));
                    targets.of(hash.hash_one((slug, url)), || LinkTexts {
                        slug: slug.into(),
                        url: url.into(),
                    })
                })
            });
            Ok(())
        })?;
        next = targets.next();
        let (groups, mut totals) = targets.into_groups();
        snapshot.deadline().check()?;
        for (group, LinkTexts { slug, url }) in groups {
            let (counters, _) = totals.take(group);
            rows.push(AccessRow {
                slug: slug.into(),
                url: url.into(),
                visitors: counters.visitors,
                visits: counters.visits,
                referers: counters.referers,
            })
            .map_err(EngineError::Spill)?;
        }
        sketched |= totals.are_sketched();
    }
    Ok(LinkTotals {
        rows: rows.finish().map_err(EngineError::Spill)?,
        sketched,
    })
}

#[derive(Debug)]
struct LinkTexts {
    slug: Box<str>,
    url: Box<str>,
}

impl Shown for LinkTexts {
    fn bytes(&self) -> usize {
        self.slug.len() + self.url.len() + 32
    }
}

/// The rows of the answer.
#[derive(Debug)]
pub(crate) struct Rows {
    /// `None` after a failure.
    rows: Option<SortedRows>,
    sampling: SamplingNote,
}

impl Rows {
    pub(crate) fn new(rows: SortedRows, sampling: SamplingNote) -> Self {
        Self {
            rows: Some(rows),
            sampling,
        }
    }
}

#[async_trait]
impl AccessRows for Rows {
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError> {
        let Some(mut rows) = self.rows.take() else {
            return Ok(Vec::new());
        };
        let read = move || {
            let some = rows.next(ROWS_AT_A_TIME)?;
            Ok((some, rows))
        };
        // The rows may be in a file.
        let read = tokio::task::spawn_blocking(read).await;
        let failed = |source| VisitLogError::Failed {
            action: "list visits by link",
            source,
        };
        let (some, rows) = read
            .map_err(|error| failed(Box::new(error)))?
            .map_err(failed)?;
        self.rows = Some(rows);
        Ok(some)
    }

    fn sampling(&self) -> SamplingNote {
        self.sampling
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, time::Duration};

    use slugline_analytics::row::{self, Row};

    use super::*;
    use crate::{
        file::{
            limits::{Deadline, QuestionMemory},
            schema, seal, tail,
        },
        format::{block::Numbers, block_builder::BlockBuilder},
        tests::rows::row,
    };

    fn all(mut rows: SortedRows) -> Vec<AccessRow> {
        let mut all = Vec::new();
        loop {
            let some = rows.next(ROWS_AT_A_TIME).unwrap();
            if some.is_empty() {
                return all;
            }
            all.extend(some);
        }
    }

    #[test]
    fn a_list_in_shares_is_the_same_list() {
        const TARGETS: u64 = 6_000;
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        let mut expected: BTreeMap<(String, String), u64> = BTreeMap::new();
        for day in 0..6 {
            let mut draft = BlockBuilder::default();
            for n in 0..5_000_u64 {
                let number = (n * n + day * 7) % TARGETS;
                // The same slug leads to two destinations, each of two links.
                let slug = format!("s{:04}", number / 2);
                let url = format!("https://example.com/{number}");
                let target = row::VisitedLink {
                    link_id: "",
                    slug: &slug,
                    url: &url,
                    protection: "none",
                };
                let at = day.cast_signed() * 86_400_000 + n.cast_signed();
                let row = Row {
                    target,
                    ..row(at, day * 10_000 + n)
                };
                let link = (number * 7 % 13).cast_signed();
                if day == 5 && n % 2 == 0 {
                    tail::insert(&db, &row, link).unwrap();
                } else {
                    draft.push(Numbers::of(&row, link), &row);
                }
                *expected.entry((slug, url)).or_default() += 1;
            }
            seal::write(&db, &draft, None).unwrap();
        }
        let deadline = Deadline::after(Duration::from_mins(1));
        let mut snapshot = Snapshot::take(&mut db, deadline).unwrap();
        // All rows three times, in more and more shares.
        for bytes in [256 << 20, 2 << 20, 1 << 20, 1 << 19] {
            snapshot = snapshot.with_memory(QuestionMemory::of(bytes));
            let answer = answer(&snapshot, &VisitFilter::default()).unwrap();
            assert!(!answer.sketched);
            let in_file = matches!(&answer.rows, SortedRows::Stored { .. });
            assert_eq!(in_file, bytes < 256 << 20, "{bytes}");
            let rows = all(answer.rows);
            assert_eq!(rows.len(), expected.len());
            let key = |row: &AccessRow| (u64::MAX - row.visits, row.slug.clone(), row.url.clone());
            assert!(rows.is_sorted_by_key(key));
            for row in rows {
                let visits = expected[&(row.slug, row.url)];
                assert_eq!((row.visits, row.visitors), (visits, visits));
            }
        }
    }
}
