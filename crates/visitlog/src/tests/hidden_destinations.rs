//! Tests of hidden destinations, in older files and in new ones.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use rusqlite::Connection;
use slugline_analytics::{
    QueryLimits,
    columns::text_of,
    row::{Row, Target},
};
use slugline_domain::{
    Choice, Destinations, Dimension, EventsQuery, LinkId, MetricsQuery, RowLimit, VisitFilter,
    ports::VisitLog,
};
use tempfile::TempDir;

use super::rows::row;
use crate::{
    file::{
        day::{count::count, known::KnownDay},
        day_totals,
        deadline::Deadline,
        links::Links,
        memory::QuestionMemory,
        schema, seal,
        snapshot::Snapshot,
        tail,
        upkeep::merge,
    },
    format::{block_builder::BlockBuilder, numbers::Numbers},
    log::EmbeddedLog,
    query::{filter::RowFilter, plan::Plan},
};

/// 2025-07-01, the day of the older chunk.
const DAY_OF_BEFORE: i64 = 20_270;
const DAY_MS: i64 = 86_400_000;

struct Opened {
    _folder: TempDir,
    db: Connection,
    links: Links,
    log: EmbeddedLog,
}

impl Opened {
    fn of_before() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = schema::open_writer(&path).unwrap();
        db.execute_batch(include_str!("before_protection.sql"))
            .unwrap();
        Self {
            _folder: folder,
            db,
            links: Links::default(),
            log: EmbeddedLog::new(&path, QueryLimits::default(), Arc::default()),
        }
    }

    fn visit(&mut self, at: i64, target: Target<'_>) {
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
    let query = MetricsQuery::new(filter, Dimension::Url, RowLimit::MAX).with_visitors(true);
    let rows = log.metrics(&query).await.unwrap().rows;
    rows.into_iter().map(|row| (row.name, row.count)).collect()
}

fn links(ids: &[&str]) -> BTreeSet<LinkId> {
    ids.iter().map(|id| LinkId::parse(id).unwrap()).collect()
}

/// The question of a caller who does not see all destinations.
fn of_guest(open: &[&str]) -> VisitFilter {
    VisitFilter::default().with_destinations(Destinations::Unprotected {
        unrecorded: Arc::new(links(open)),
    })
}

fn counts(rows: &[(&str, u64)]) -> Vec<(String, u64)> {
    let owned = |(url, visits): &(&str, u64)| ((*url).to_owned(), *visits);
    rows.iter().map(owned).collect()
}

const OPEN: &str = "https://open.example/";
const LOCKED: &str = "https://locked.example/";
const GONE: &str = "https://gone.example/";

#[tokio::test]
async fn visits_of_before_show_the_destinations_of_links_that_are_open_today() {
    let mut file = Opened::of_before();
    let all = counts(&[(GONE, 3), (LOCKED, 3), (OPEN, 3)]);
    for _ in 0..2 {
        assert_eq!(urls(&file.log, VisitFilter::default()).await, all);
        assert_eq!(urls(&file.log, of_guest(&[])).await, counts(&[("", 9)]));
        let shown = urls(&file.log, of_guest(&["open-1", "other"])).await;
        assert_eq!(shown, counts(&[("", 6), (OPEN, 3)]));
        let found = file.log.unrecorded(&VisitFilter::default(), 9).await;
        assert_eq!(found.unwrap(), links(&["gone-1", "locked-1", "open-1"]));
        let found = file.log.unrecorded(&VisitFilter::default(), 2).await;
        assert_eq!(found.unwrap().len(), 2);

        let query = EventsQuery::new(of_guest(&["open-1"]), RowLimit::MAX);
        let events = file.log.events(&query).await.unwrap();
        for event in &events {
            let is_open = event.value(Dimension::Slug) == "open";
            let shown = if is_open { OPEN } else { "" };
            assert_eq!(event.value(Dimension::Url), shown, "{event:?}");
        }
        assert_eq!(events.len(), 9);
        // Then the tail becomes a chunk.
        while seal::seal_before(&mut file.db, DAY_OF_BEFORE + 9, 10).unwrap() {}
    }
}

#[tokio::test]
async fn visits_of_before_stay_what_they_are_beside_new_ones() {
    let mut file = Opened::of_before();
    let [before, after] = ["none", "password"].map(|protection| Target {
        link_id: "open-1",
        slug: "open",
        url: OPEN,
        protection,
    });
    for at in 0..5 {
        file.visit(DAY_OF_BEFORE * DAY_MS + at, before);
    }
    for at in 5..9 {
        file.visit(DAY_OF_BEFORE * DAY_MS + at, after);
    }
    for stage in 0..3 {
        let expected = |rows: &[(&str, u64)]| counts(rows);
        // The link has a password today, or is deleted.
        let hidden = urls(&file.log, of_guest(&[])).await;
        assert_eq!(hidden, expected(&[("", 13), (OPEN, 5)]), "{stage}");
        // The password was removed.
        let shown = urls(&file.log, of_guest(&["open-1"])).await;
        assert_eq!(shown, expected(&[("", 10), (OPEN, 8)]), "{stage}");
        let of_url = |url: &str| {
            (of_guest(&["open-1"]))
                .with_values(vec![(Dimension::Url, Choice::any_of([url.to_owned()]))])
        };
        assert_eq!(urls(&file.log, of_url(LOCKED)).await, []);
        assert_eq!(urls(&file.log, of_url(OPEN)).await, expected(&[(OPEN, 8)]));
        assert_eq!(urls(&file.log, of_url("")).await, expected(&[("", 10)]));
        match stage {
            0 => while seal::seal_before(&mut file.db, DAY_OF_BEFORE + 9, 10).unwrap() {},
            _ => {
                while merge::merge_day_alone(&mut file.db, (i64::MIN, i64::MAX), 400)
                    .unwrap()
                    .is_some()
                {}
            }
        }
    }
    let chunks: u32 = file
        .db
        .query_row("SELECT count(*) FROM chunk WHERE day = 20270", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(chunks, 1, "they were merged");
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
        let totals = count(&Snapshot::take(&db, deadline).unwrap(), day, 1).unwrap();
        assert!(day_totals::store(&mut db, claim, &totals.unwrap()).unwrap());
    }
    let deadline = Deadline::after(Duration::from_mins(1));
    let snapshot = Snapshot::take(&db, deadline).unwrap();
    let snapshot = snapshot.with_memory(QuestionMemory::of(64 << 20));
    let scanned = |filter: &VisitFilter, dimension| {
        let filter = RowFilter::resolve(&db, filter).unwrap();
        let column = text_of(dimension);
        let of_day = |day: &KnownDay<'_>| day.combinations([column]);
        let plan = Plan::with_days(&snapshot, &filter, Some(column), of_day, drop).unwrap();
        let days = plan.spans_back().iter().copied();
        let days = days.filter(|(from, until)| from.max(&0) < until.min(&(4 * DAY_MS)));
        days.map(|(from, until)| (from.div_euclid(DAY_MS), until.div_euclid(DAY_MS)))
            .collect::<Vec<(i64, i64)>>()
    };
    assert_eq!(scanned(&VisitFilter::default(), Dimension::Url), []);
    assert_eq!(scanned(&of_guest(&[]), Dimension::Url), [(1, 2)]);
    assert_eq!(scanned(&of_guest(&[]), Dimension::Slug), []);
}
