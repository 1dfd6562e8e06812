//! The question for totals.

use rusqlite::Connection;
use slugline_domain::{CounterRow, Counters, CountersQuery, LinkId, SamplingInterval};

use super::{
    block::Block,
    column::Column,
    dictionary::EMPTY,
    distinct::{self, DistinctCounts},
    error::EngineError,
    filter::RowFilter,
    scan::Snapshot,
};

/// Rows of totals, and what they rest on.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) rows: Vec<CounterRow>,
    /// The largest interval among the rows of the log that were read.
    pub(super) interval_max: SamplingInterval,
    /// Whether visitors or referers were too many to be counted one by one.
    pub(super) sketched: bool,
}

/// Works the totals out.
pub(super) fn answer(
    snapshot: &Snapshot<'_>,
    query: &CountersQuery,
) -> Result<Answer, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let mut columns = vec![
        Column::Interval,
        Column::Coherent,
        Column::Visitor,
        Column::Referer,
    ];
    let mut totals = Totals::default();
    let rows = if query.per_link {
        columns.push(Column::Target);
        let links = Links::load(snapshot.db(), &filter)?;
        snapshot.scan(&filter, &columns, |block, rows| {
            for &row in rows {
                if let Some(link) = links.of(block.target[row])? {
                    totals.add(link, block, row);
                }
            }
            Ok(())
        })?;
        links
            .ids
            .into_iter()
            .enumerate()
            .map(|(link, id)| CounterRow {
                link: Some(id),
                counters: totals.counters(link),
            })
            .filter(|row| row.counters.visits > 0)
            .collect()
    } else {
        snapshot.scan(&filter, &columns, |block, rows| {
            for &row in rows {
                totals.add(0, block, row);
            }
            Ok(())
        })?;
        vec![CounterRow {
            link: None,
            counters: totals.counters(0),
        }]
    };
    Ok(Answer {
        rows,
        interval_max: SamplingInterval::new(totals.interval_max).unwrap_or(SamplingInterval::EVERY),
        sketched: totals.are_sketched(),
    })
}

/// What the rows of the answer are made from, by the index of the row.
#[derive(Debug, Default)]
struct Totals {
    visits: Vec<u64>,
    visitors: DistinctCounts,
    referers: DistinctCounts,
    interval_max: u32,
}

impl Totals {
    fn add(&mut self, group: usize, block: &Block, row: usize) {
        let interval = block.interval[row];
        self.interval_max = self.interval_max.max(interval);
        if group >= self.visits.len() {
            self.visits.resize(group + 1, 0);
        }
        self.visits[group] += u64::from(interval);
        if block.coherent[row] == 1 {
            self.visitors.see(group, block.visitor[row], interval);
        }
        let referer = block.referer[row];
        if referer != EMPTY {
            self.referers.see(group, distinct::spread(referer), 1);
        }
    }

    fn are_sketched(&self) -> bool {
        self.visitors.is_sketch() || self.referers.is_sketch()
    }

    fn counters(&self, group: usize) -> Counters {
        Counters {
            visits: self.visits.get(group).copied().unwrap_or(0),
            visitors: self.visitors.estimate(group),
            referers: self.referers.estimate(group),
        }
    }
}

/// Which link each target belongs to.
#[derive(Debug)]
struct Links {
    /// In order.
    ids: Vec<LinkId>,
    /// By target id.
    owners: Vec<Owner>,
}

#[derive(Clone, Copy, Debug)]
enum Owner {
    /// There is no such target.
    Missing,
    /// The collective entry of a full dictionary.
    Nobody,
    /// An index into the ids.
    Link(usize),
}

impl Links {
    /// Loads the links whose targets a filter lets through.
    fn load(db: &Connection, filter: &RowFilter) -> Result<Self, rusqlite::Error> {
        let mut statement =
            db.prepare_cached("SELECT id, link_id FROM dim_target ORDER BY link_id")?;
        let mut targets = statement.query([])?;
        let mut ids: Vec<LinkId> = Vec::new();
        let mut owners = Vec::new();
        while let Some(target) = targets.next()? {
            let id: u32 = target.get(0)?;
            if !filter.admits_target(id) {
                continue;
            }
            let text = target.get_ref(1)?.as_str()?;
            let owner = if ids.last().is_some_and(|last| last.as_str() == text) {
                Owner::Link(ids.len() - 1)
            } else if let Ok(link) = LinkId::parse(text) {
                ids.push(link);
                Owner::Link(ids.len() - 1)
            } else {
                Owner::Nobody
            };
            let index = index_of(id);
            if index >= owners.len() {
                owners.resize(index + 1, Owner::Missing);
            }
            owners[index] = owner;
        }
        Ok(Self { ids, owners })
    }

    fn of(&self, target: u32) -> Result<Option<usize>, EngineError> {
        match self.owners.get(index_of(target)) {
            Some(Owner::Link(index)) => Ok(Some(*index)),
            Some(Owner::Nobody) => Ok(None),
            Some(Owner::Missing) | None => Err(EngineError::Dangling {
                kind: "target",
                id: target,
            }),
        }
    }
}

fn index_of(target: u32) -> usize {
    usize::try_from(target).expect("32 bits fit a pointer's size")
}

#[cfg(test)]
mod tests {
    use std::{borrow::Cow, time::Duration};

    use slugline_domain::{Dimension, UnixMillis, UnixSeconds, VisitFilter};

    use super::*;
    use crate::{
        engine::{dictionaries::Dictionaries, scan::Deadline, schema, seal, tail},
        row::{Client, Place, Row, Target},
        sampling::Sampled,
        visitor::VisitorHash,
    };

    struct Log {
        _folder: tempfile::TempDir,
        db: Connection,
        dictionaries: Dictionaries,
    }

    impl Log {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            Self {
                db: schema::open_writer(&folder.path().join("a.db")).unwrap(),
                _folder: folder,
                dictionaries: Dictionaries::new(),
            }
        }

        fn add(&mut self, row: &Row<'_>) {
            let ids = self.dictionaries.ids(&self.db, row).unwrap();
            tail::insert(&self.db, row, ids).unwrap();
        }

        fn ask(&mut self, query: &CountersQuery) -> Answer {
            let deadline = Deadline::after(Duration::from_mins(1));
            let snapshot = Snapshot::take(&mut self.db, deadline).unwrap();
            answer(&snapshot, query).unwrap()
        }

        fn total(&mut self, filter: VisitFilter) -> Counters {
            let answer = self.ask(&CountersQuery {
                filter,
                per_link: false,
            });
            assert_eq!(answer.rows.len(), 1);
            answer.rows[0].counters
        }
    }

    fn row(visitor: u64, interval: u32, coherent: bool) -> Row<'static> {
        Row {
            at: UnixMillis::new(1_000),
            target: Target {
                link_id: "docs-1",
                slug: "docs",
                url: "https://example.com/",
            },
            client: Client::default(),
            place: Place::default(),
            referer: Cow::Borrowed(""),
            language: "",
            visitor: VisitorHash(visitor),
            sampled: Sampled {
                interval: SamplingInterval::new(interval).unwrap(),
                coherent,
            },
        }
    }

    #[test]
    fn nothing_is_counted_as_zero_and_per_link_as_no_row() {
        let mut log = Log::new();
        assert_eq!(log.total(VisitFilter::default()), Counters::default());
        let answer = log.ask(&CountersQuery {
            per_link: true,
            ..CountersQuery::default()
        });
        assert_eq!(answer.rows, []);
        assert_eq!(answer.interval_max, SamplingInterval::EVERY);
    }

    #[test]
    fn intervals_are_added_and_visitors_weigh_their_smallest_coherent_one() {
        let mut log = Log::new();
        for (visitor, interval, coherent) in [
            (1, 8, true),
            (1, 4, true),
            (1, 2, false),
            (2, 16, true),
            (3, 64, false),
        ] {
            log.add(&row(visitor, interval, coherent));
        }
        for rows_per_chunk in [100, 3, 1] {
            seal::seal(&mut log.db, rows_per_chunk).unwrap();
            let answer = log.ask(&CountersQuery::default());
            let counters = answer.rows[0].counters;
            assert_eq!((counters.visits, counters.visitors), (94, 20));
            assert_eq!(answer.interval_max.get(), 64);
        }
    }

    #[test]
    fn random_intervals_agree_with_sql_over_rows() {
        let mut log = Log::new();
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..2_000 {
            let interval = 1 << random(7);
            let mut row = row(random(300) << 40, interval, random(3) > 0);
            row.referer =
                ["", "a.example", "b.example"][usize::try_from(random(3)).unwrap()].into();
            log.add(&row);
        }
        let expected: (u32, u32, u32) = log
            .db
            .query_row(
                "SELECT (SELECT sum(si) FROM tail), \
                        (SELECT sum(u) FROM (SELECT min(CASE WHEN coh = 1 THEN si END) AS u \
                                             FROM tail GROUP BY ip)), \
                        (SELECT count(DISTINCT ref_id) FROM tail WHERE ref_id <> 1)",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap();
        for rows_per_chunk in [10_000, 700, 64] {
            seal::seal(&mut log.db, rows_per_chunk).unwrap();
            let counters = log.total(VisitFilter::default());
            let found = (counters.visits, counters.visitors, counters.referers);
            assert_eq!(
                found,
                (expected.0.into(), expected.1.into(), expected.2.into())
            );
        }
    }

    #[test]
    fn links_come_in_order_and_keep_their_visits_through_edits() {
        let mut log = Log::new();
        for (link_id, slug) in [("b", "two"), ("a", "one"), ("b", "deux"), ("(other)", "x")] {
            let mut row = row(1, 1, true);
            row.target.link_id = link_id;
            row.target.slug = slug;
            log.add(&row);
        }
        let answer = log.ask(&CountersQuery {
            per_link: true,
            ..CountersQuery::default()
        });
        let rows: Vec<(String, u64, u64)> = answer
            .rows
            .into_iter()
            .map(|row| {
                let link = row.link.unwrap().to_string();
                (link, row.counters.visits, row.counters.visitors)
            })
            .collect();
        assert_eq!(rows, [("a".into(), 1, 1), ("b".into(), 2, 1)]);
        assert_eq!(log.total(VisitFilter::default()).visits, 4);
    }

    #[test]
    fn both_ends_of_a_time_range_are_inclusive() {
        let mut log = Log::new();
        for at in [-1, 0, 999, 1_000, 1_999, 2_000] {
            log.add(&Row {
                at: UnixMillis::new(at),
                ..row(1, 1, true)
            });
        }
        for rows_per_chunk in [100, 3, 1] {
            seal::seal(&mut log.db, rows_per_chunk).unwrap();
            let mut visits = |from, until| {
                log.total(VisitFilter {
                    from,
                    until,
                    ..VisitFilter::default()
                })
                .visits
            };
            let second = |number| UnixSeconds::new(number).ok();
            assert_eq!(visits(second(0), second(1)), 4);
            assert_eq!(visits(second(1), second(1)), 2);
            assert_eq!(visits(None, second(0)), 3);
            assert_eq!(visits(second(2), None), 1);
            assert_eq!(
                visits(second(UnixSeconds::MIN), second(UnixSeconds::MAX)),
                6
            );
        }
    }

    #[test]
    fn each_dimension_can_be_filtered() {
        let mut log = Log::new();
        log.add(&row(1, 1, true));
        log.add(&Row {
            target: Target {
                link_id: "sale-1",
                slug: "sale",
                url: "https://example.com/sale",
            },
            client: Client {
                user_agent: "Example/1.0",
                os: "Linux",
                browser: "Example",
                browser_type: "cli",
                device: "Box",
                device_type: "console",
            },
            place: Place {
                country: "DE",
                region: "Hesse",
                city: "Kassel",
                timezone: "Europe/Berlin",
                colo: "FRA",
                latitude: 51.312_7,
                longitude: 9.479_7,
            },
            referer: Cow::Borrowed("news.example"),
            language: "de",
            visitor: VisitorHash(0xbeef),
            ..row(2, 1, true)
        });
        let values = [
            (Dimension::Slug, "sale"),
            (Dimension::Url, "https://example.com/sale"),
            (Dimension::UserAgent, "Example/1.0"),
            (Dimension::Ip, "000000000000beef"),
            (Dimension::Referer, "news.example"),
            (Dimension::Country, "DE"),
            (Dimension::Region, "Hesse"),
            (Dimension::City, "Kassel"),
            (Dimension::Timezone, "Europe/Berlin"),
            (Dimension::Language, "de"),
            (Dimension::Os, "Linux"),
            (Dimension::Browser, "Example"),
            (Dimension::BrowserType, "cli"),
            (Dimension::Device, "Box"),
            (Dimension::DeviceType, "console"),
            (Dimension::Colo, "FRA"),
            (Dimension::Latitude, "51.31"),
            (Dimension::Longitude, "9.48"),
        ];
        for rows_per_chunk in [100, 2] {
            seal::seal(&mut log.db, rows_per_chunk).unwrap();
            let mut visits = |values: Vec<(Dimension, Vec<String>)>| {
                log.total(VisitFilter {
                    values,
                    ..VisitFilter::default()
                })
                .visits
            };
            for (dimension, value) in values {
                let (value, other) = (value.to_owned(), "nothing like it".to_owned());
                assert_eq!(
                    visits(vec![(dimension, vec![other.clone(), value.clone()])]),
                    1
                );
                assert_eq!(visits(vec![(dimension, vec![other.clone()])]), 0);
                assert_eq!(visits(vec![(dimension, vec![])]), 2);
                // Two conditions on the same dimension are ANDed.
                let both = vec![(dimension, vec![value]), (dimension, vec![other])];
                assert_eq!(visits(both), 0);
            }
            let all = values.map(|(dimension, value)| (dimension, vec![value.to_owned()]));
            assert_eq!(visits(all.to_vec()), 1);
        }
    }

    #[test]
    fn totals_of_very_many_visitors_say_that_they_are_estimates() {
        const VISITORS: usize = (1 << 20) + 1;
        let mut totals = Totals::default();
        let block = Block {
            rows: VISITORS,
            interval: vec![1; VISITORS],
            coherent: vec![1; VISITORS],
            referer: vec![EMPTY; VISITORS],
            visitor: (0..1 << 20).map(distinct::spread).chain([5]).collect(),
            ..Block::default()
        };
        for row in 0..VISITORS - 1 {
            totals.add(0, &block, row);
        }
        assert_eq!(totals.counters(0).visitors, 1 << 20);
        assert!(!totals.are_sketched());
        totals.add(0, &block, VISITORS - 1);
        assert_eq!(totals.counters(0).visits, (1 << 20) + 1);
        assert!(totals.are_sketched());
    }

    #[test]
    fn a_row_without_its_target_is_an_error_rather_than_a_wrong_answer() {
        let mut log = Log::new();
        log.add(&row(1, 1, true));
        log.db
            .execute("UPDATE tail SET target_id = 99", [])
            .unwrap();
        let deadline = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&mut log.db, deadline).unwrap();
        let query = CountersQuery {
            per_link: true,
            ..CountersQuery::default()
        };
        assert_eq!(
            answer(&snapshot, &query).unwrap_err().to_string(),
            "a row refers to target 99, which does not exist"
        );
    }
}
