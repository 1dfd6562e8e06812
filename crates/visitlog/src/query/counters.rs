//! The question for counters.

use std::hash::{BuildHasher, RandomState};

use slugline_analytics::columns::text_of;
use slugline_domain::{CounterRow, CountersQuery, Dimension, LinkId};

use super::{
    answer::Answer,
    bounded_groups::{HashRange, SharedGroups, Shown},
    filter::RowFilter,
    plan::Plan,
    totals::Totals,
};
use crate::{
    file::{day::known::KnownDay, error::EngineError, links, snapshot::Snapshot},
    format::block::Column,
};

/// Computes the counters.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &CountersQuery,
) -> Result<Answer<CounterRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    if query.per_link {
        per_link(snapshot, &filter)
    } else {
        over_all(snapshot, &filter)
    }
}

fn over_all(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
) -> Result<Answer<CounterRow>, EngineError> {
    let mut totals = Totals::within(snapshot.memory());
    let of_day =
        |day: &KnownDay<'_>| Ok(day.moments()?.zip(day.texts(text_of(Dimension::Referer))?));
    let plan = Plan::with_days(snapshot, filter, None, of_day, |(moments, referers)| {
        totals.add_all_known(moments.whole(), &referers);
    })?;
    snapshot.scan(&plan, &Totals::columns_of_all(), |block| {
        totals.add_all(block);
        Ok(())
    })?;
    let (counters, variance) = totals.counters(0);
    let row = CounterRow {
        link: None,
        counters,
        variance,
    };
    Ok(Answer::complete(vec![row], totals.are_sketched()))
}

fn per_link(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
) -> Result<Answer<CounterRow>, EngineError> {
    let columns = [&Totals::columns()[..], &[Column::Link]].concat();
    let hash = RandomState::new();
    let mut rows = Vec::new();
    let mut sketched = false;
    let mut next = Some(HashRange::ALL);
    while let Some(share) = next {
        let mut links = SharedGroups::within(snapshot.memory(), share);
        snapshot.scan(&Plan::of_rows(filter), &columns, |block| {
            // The rows of a link follow one another.
            let mut latest = None;
            links.add(block, |links, row| {
                let link = block.link.at(row);
                match latest {
                    Some((known, group)) if known == link => group,
                    Some(_) | None => {
                        let group = links.of(hash.hash_one(link), || LinkNumber(link));
                        latest = Some((link, group));
                        group
                    }
                }
            });
            Ok(())
        })?;
        next = links.next();
        let (groups, mut totals) = links.into_groups();
        for (group, LinkNumber(link)) in groups {
            let Some(name) = links::name(snapshot.db(), link)? else {
                return Err(EngineError::Dangling { link });
            };
            // A link whose name was lost with a part of the file has none any more.
            if let Ok(link) = LinkId::parse(&name) {
                let (counters, variance) = totals.take(group);
                rows.push(CounterRow {
                    link: Some(link),
                    counters,
                    variance,
                });
            }
        }
        sketched |= totals.are_sketched();
    }
    rows.sort_unstable_by(|one, other| one.link.cmp(&other.link));
    Ok(Answer::complete(rows, sketched))
}

/// The number of a link in this file.
#[derive(Debug)]
struct LinkNumber(i64);

impl Shown for LinkNumber {
    fn bytes(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use slugline_domain::VisitFilter;
    use slugline_testkit::questions::by_link;

    use super::*;
    use crate::{
        file::{limits::Deadline, schema, tail},
        tests::rows::row,
    };

    #[test]
    fn a_row_without_its_link_is_an_error_rather_than_a_wrong_answer() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        tail::insert(&db, &row(1_000, 1), 99).unwrap();
        let deadline = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&mut db, deadline).unwrap();
        let answer = answer(&snapshot, &by_link(VisitFilter::default()));
        assert_eq!(
            answer.unwrap_err().to_string(),
            "a row refers to link 99, which does not exist"
        );
    }
}
