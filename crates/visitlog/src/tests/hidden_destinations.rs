//! Tests of hidden destinations.

use std::{sync::Arc, time::Duration};

use rusqlite::Connection;
use slugline_analytics::{
    QueryLimits,
    columns::text_of,
    row::{Row, VisitedLink},
};
use slugline_domain::{Choice, Destinations, Dimension, VisitFilter, ports::VisitLog};
use slugline_testkit::questions;
use tempfile::TempDir;

use super::rows::row;
use crate::{
    file::{
        day::{count::count, known::KnownDay},
        day_totals,
        limits::{Deadline, QuestionMemory},
        links::Links,
        schema, seal,
        snapshot::Snapshot,
        tail,
        upkeep::merge,
    },
    format::{block::Numbers, block_builder::BlockBuilder},
    log::EmbeddedLog,
    query::{filter::RowFilter, plan::Plan},
};

const DAY_MS: i64 = 86_400_000;

struct Opened {
    _folder: TempDir,
    db: Connection,
    links: Links,
    log: EmbeddedLog,
}

impl Opened {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        Self {
            db: schema::open_writer(&path).unwrap(),
            log: EmbeddedLog::new(&path, QueryLimits::default(), Arc::default()),
            _folder: folder,
            links: Links::default(),
        }
    }

    fn visit(&mut self, at: i64, target: VisitedLink<'_>) {
        let link = self.links.number(&self.db, target.link_id).unwrap();
        let row = Row {
            target,
            ..row(at, 99)
        };
        tail::insert(&self.db, &row, link).unwrap();
    }
}

/// The visits of each destination.
async fn urls(log: &EmbeddedLog, filter: VisitFilter) -> Vec<(String, u64)> {
    let query = questions::by_value(filter, Dimension::Url);
    let rows = log.metrics(&query).await.unwrap().rows;
    rows.into_iter().map(|row| (row.name, row.count)).collect()
}

/// The question of a caller who does not see all destinations.
fn of_guest() -> VisitFilter {
    VisitFilter {
        destinations: Destinations::Unprotected,
        ..VisitFilter::default()
    }
}

fn counts(rows: &[(&str, u64)]) -> Vec<(String, u64)> {
    let owned = |(url, visits): &(&str, u64)| ((*url).to_owned(), *visits);
    rows.iter().map(owned).collect()
}

const OPEN: &str = "https://open.example/";
const LOCKED: &str = "https://locked.example/";

#[tokio::test]
async fn a_visit_shows_its_destination_if_it_says_that_there_was_no_password() {
    let mut file = Opened::new();
    let protections = [
        ("none", OPEN, 5),
        ("password", OPEN, 4),
        ("password", LOCKED, 2),
        ("", OPEN, 3),
    ];
    let mut at = 0;
    for (protection, url, visits) in protections {
        for _ in 0..visits {
            file.visit(
                at,
                VisitedLink {
                    link_id: "docs-1",
                    slug: "docs",
                    url,
                    protection,
                },
            );
            at += 1;
        }
    }
    let of_url = |url: &str| VisitFilter {
        values: vec![(Dimension::Url, Choice::any_of([url.to_owned()]))],
        ..of_guest()
    };
    for stage in 0..3 {
        let all = urls(&file.log, VisitFilter::default()).await;
        assert_eq!(all, counts(&[(OPEN, 12), (LOCKED, 2)]));
        let shown = urls(&file.log, of_guest()).await;
        assert_eq!(shown, counts(&[("", 9), (OPEN, 5)]), "{stage}");
        assert_eq!(urls(&file.log, of_url(LOCKED)).await, []);
        assert_eq!(urls(&file.log, of_url(OPEN)).await, counts(&[(OPEN, 5)]));
        assert_eq!(urls(&file.log, of_url("")).await, counts(&[("", 9)]));
        let query = questions::latest(of_guest());
        let events = file.log.events(&query).await.unwrap();
        let hidden = events
            .iter()
            .filter(|event| event.value(Dimension::Url).is_empty());
        assert_eq!((events.len(), hidden.count()), (14, 9));
        match stage {
            0 => while seal::seal_before(&mut file.db, 9, 10).unwrap() {},
            _ => {
                while merge::merge_day_alone(&mut file.db, (i64::MIN, i64::MAX), 400)
                    .unwrap()
                    .is_some()
                {}
            }
        }
    }
    let chunks = file
        .db
        .query_row("SELECT count(*) FROM chunk", [], |row| row.get(0));
    assert_eq!(chunks, Ok(1), "they were merged");
}

#[test]
fn a_day_that_hides_nothing_is_taken_from_its_totals() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
    for (day, protection) in (0..).zip(["none", "password", "", "none"]) {
        let mut draft = BlockBuilder::default();
        for n in 0..50 {
            let mut row = row(day * DAY_MS + n, 1);
            row.target.protection = if n < 25 { "none" } else { protection };
            draft.push(Numbers::of(&row, 1), &row);
        }
        seal::write(&db, &draft, None).unwrap();
        let claim = day_totals::claim(&mut db, day).unwrap();
        let deadline = Deadline::after(Duration::from_mins(1));
        let totals = count(&Snapshot::take(&mut db, deadline).unwrap(), day).unwrap();
        assert!(day_totals::store(&mut db, claim, &totals.unwrap()).unwrap());
    }
    let deadline = Deadline::after(Duration::from_mins(1));
    let snapshot = Snapshot::take(&mut db, deadline).unwrap();
    let snapshot = snapshot.with_memory(QuestionMemory::of(64 << 20));
    let scanned = |filter: &VisitFilter, dimension| {
        let filter = RowFilter::resolve(snapshot.db(), filter).unwrap();
        let column = text_of(dimension);
        let of_day = |day: &KnownDay<'_>| day.combinations([column]);
        let plan = Plan::with_days(&snapshot, &filter, Some(column), of_day, drop).unwrap();
        let days = plan.spans_back().iter().copied();
        let days = days.filter(|(from, until)| from.max(&0) < until.min(&(4 * DAY_MS)));
        days.map(|(from, until)| (from.div_euclid(DAY_MS), until.div_euclid(DAY_MS)))
            .collect::<Vec<(i64, i64)>>()
    };
    assert_eq!(scanned(&VisitFilter::default(), Dimension::Url), []);
    assert_eq!(scanned(&of_guest(), Dimension::Url), [(1, 2)]);
    assert_eq!(scanned(&of_guest(), Dimension::Slug), []);
}
