//! Compares every answer of the embedded engine with plain SQL.

use std::{collections::BTreeSet, sync::Arc};

use rusqlite::Connection;
use slugline_analytics::{
    QueryLimits,
    columns::{STORED, TEXTS},
    row::{Client, Row, VisitedLink},
    sampled::{self, Span},
    tally::Tally,
    visitor::VisitorHash,
};
use slugline_domain::{
    Campaign, Dimension, LogTrouble, RowLimit, SamplingInterval, StoredVisit, UnixMillis,
    VisitFilter,
    ports::{VisitLog, VisitLogError},
};
use slugline_testkit::{
    questions::{by_value, having, latest},
    visit_log_contract::{Party, RandomVisit, agrees_with_sql},
    with,
};
use tempfile::TempDir;

use crate::{
    file::{
        links::Links,
        schema, seal, tail,
        upkeep::{self, merge},
    },
    log::EmbeddedLog,
};

/// The engine with small chunks, so that most rows are in chunks and some in
/// the tail.
struct Embedded {
    _folder: TempDir,
    db: Connection,
    links: Links,
    rows_per_chunk: usize,
    log: EmbeddedLog,
}

impl Embedded {
    fn new(rows_per_chunk: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = schema::open_writer(&path).unwrap();
        let log = EmbeddedLog::new(&path, QueryLimits::default(), Arc::new(Tally::default()));
        Self {
            _folder: folder,
            db,
            links: Links::default(),
            rows_per_chunk,
            log,
        }
    }

    fn insert(&mut self, rows: &[Row<'_>]) {
        let tx = self.db.transaction().unwrap();
        for row in rows {
            let link = self.links.number(&tx, row.target.link_id).unwrap();
            tail::insert(&tx, row, link).unwrap();
        }
        note_sampled(&tx, rows);
        tx.commit().unwrap();
        self.links.settle(true);
        seal::seal(&mut self.db, self.rows_per_chunk).unwrap();
    }

    fn count(&self, table: &str) -> u32 {
        let sql = format!("SELECT count(*) FROM {table}");
        self.db.query_row(&sql, [], |row| row.get(0)).unwrap()
    }
}

impl Party for Embedded {
    async fn store(&mut self, visits: &[RandomVisit]) {
        let visits = stored(visits);
        self.insert(&visits.iter().map(Row::of).collect::<Vec<Row<'_>>>());
    }

    fn log(&self) -> &dyn VisitLog {
        &self.log
    }
}

#[tokio::test]
async fn every_answer_is_that_of_plain_sql_over_the_same_rows() {
    for (seed, rows_per_chunk) in [(1, 61), (2, 300), (3, 1_000_000)] {
        let mut engine = Embedded::new(rows_per_chunk);
        agrees_with_sql(&mut engine, seed).await;
        assert!(engine.count("tail") > 0);
        assert_eq!(engine.count("chunk") > 3, rows_per_chunk < 1_000);
    }
}

/// A visit of which only the moment and the visitor matter.
pub(crate) fn row(at: i64, visitor: u64) -> Row<'static> {
    let target = VisitedLink {
        link_id: "docs-1",
        slug: "docs",
        url: "https://example.com/",
        protection: "",
    };
    Row::new(UnixMillis::new(at), target, VisitorHash(visitor))
}

/// Notes the days of sampled rows, as an import does.
pub(crate) fn note_sampled(db: &Connection, rows: &[Row<'_>]) {
    let days = rows
        .iter()
        .filter(|row| row.sampled.interval > SamplingInterval::EVERY)
        .map(|row| Span::day_of(row.at, row.sampled.interval));
    let days: BTreeSet<Span> = days.collect();
    sampled::table::save(db, days.iter()).unwrap();
}

/// Visits of the contract suite as the log stores them.
pub(crate) fn stored(visits: &[RandomVisit]) -> Vec<StoredVisit> {
    let columns = || TEXTS[..STORED].iter().map(|column| column.dimension);
    visits.iter().map(|visit| visit.stored(columns())).collect()
}

#[tokio::test]
async fn the_latest_visits_are_found_without_reading_older_chunks() {
    let mut engine = Embedded::new(3);
    let rows: Vec<Row<'_>> = (0..8).map(|second| row(second * 1_000, 1)).collect();
    engine.insert(&rows);
    engine
        .db
        .execute("UPDATE chunk SET directory = x'00' WHERE min_ts = 0", [])
        .unwrap();
    let seconds = async |limit| {
        let limit = RowLimit::new(limit, RowLimit::MAX).unwrap();
        let query = with(latest(VisitFilter::default()), |it| it.limit = limit);
        let events = engine.log.events(&query).await?;
        let seconds = events.iter().map(|event| event.at.second().get());
        Ok::<Vec<i64>, VisitLogError>(seconds.collect())
    };
    assert_eq!(seconds(1).await.unwrap(), [7]);
    assert_eq!(seconds(5).await.unwrap(), [7, 6, 5, 4, 3]);
    assert_eq!(engine.log.troubles(), []);
    // The scan reaches the damaged chunk now, and leaves it out.
    assert_eq!(seconds(6).await.unwrap(), [7, 6, 5, 4, 3]);
    assert_eq!(engine.log.troubles(), [LogTrouble::Damaged]);
}

#[tokio::test]
async fn a_long_list_by_link_comes_in_parts_of_one_moment_whatever_is_deleted_meanwhile() {
    let mut engine = Embedded::new(100_000);
    let slugs: Vec<String> = (0..2_500).map(|number| format!("s{number:04}")).collect();
    let mut rows = vec![row(0, 1); slugs.len()];
    for (row, slug) in rows.iter_mut().zip(&slugs) {
        row.target.slug = slug;
    }
    engine.insert(&rows);
    let mut parts = engine.log.access(&VisitFilter::default()).await.unwrap();
    let mut found = Vec::new();
    for size in [1_000, 1_000, 500, 0, 0] {
        let part = parts.next().await.unwrap();
        assert_eq!(part.len(), size);
        found.extend(part.into_iter().map(|row| row.slug));
        // This is what retention does.
        engine.db.execute_batch("DELETE FROM tail").unwrap();
    }
    assert_eq!(found, slugs);
}

#[tokio::test]
async fn very_many_programs_referers_and_languages_lose_none() {
    const AGENTS: u32 = 70_000;
    const LANGUAGES: u32 = 5_000;
    let mut engine = Embedded::new(5_000);
    let texts: Vec<[String; 3]> = (0..AGENTS)
        .map(|n| {
            [
                format!("Example/{n:05}"),
                format!("{n:05}.example"),
                format!("x-{}", n % LANGUAGES),
            ]
        })
        .collect();
    let rows: Vec<Row<'_>> = (0..)
        .zip(&texts)
        .map(|(n, [user_agent, referer, language])| Row {
            client: Client {
                user_agent,
                browser: "Example",
                ..Client::default()
            },
            referer: referer.into(),
            language,
            ..row(n, 1)
        })
        .collect();
    let pages = |engine: &Embedded| {
        let pages = engine
            .db
            .pragma_query_value(None, "page_count", |row| row.get::<_, u32>(0));
        let free = engine
            .db
            .pragma_query_value(None, "freelist_count", |row| row.get::<_, u32>(0));
        pages.unwrap() - free.unwrap()
    };
    let (first, second) = rows.split_at(rows.len() / 2);
    engine.insert(first);
    let half = pages(&engine);
    engine.insert(second);
    let all = pages(&engine);
    assert!(all < 2 * half + half / 10, "{half} pages became {all}");
    let metrics = async |dimension, value: Option<&str>| {
        let filter = value
            .map(|value| having(dimension, value))
            .unwrap_or_default();
        let query = with(by_value(filter, dimension), |it| it.visitors = false);
        engine.log.metrics(&query).await.unwrap()
    };
    let agents = metrics(Dimension::UserAgent, None).await;
    assert_eq!(agents.rows.len(), 70_000);
    assert!(agents.rows.iter().all(|row| row.count == 1));
    let referers = metrics(Dimension::Referer, None).await;
    assert_eq!(referers.rows.len(), 70_000);
    assert!(agents.sampling.exact() && referers.sampling.exact());
    let languages = metrics(Dimension::Language, None).await;
    assert_eq!(languages.rows.len(), 5_000);
    assert!(languages.rows.iter().all(|row| row.count == 14));
    let browsers = metrics(Dimension::Browser, None).await;
    assert_eq!(browsers.rows.len(), 1);
    assert_eq!(browsers.rows[0].name, "Example");
    let last = metrics(Dimension::UserAgent, Some("Example/69999")).await;
    assert_eq!(last.rows.len(), 1);
}

#[tokio::test]
async fn chunks_without_campaigns_are_as_they_were_before_and_read_as_unknown() {
    let mut engine = Embedded::new(5);
    engine.insert(&[0, 1, 2, 3, 4].map(|at| row(at, 1)));
    let directory: Vec<u8> = engine
        .db
        .query_row("SELECT directory FROM chunk", [], |row| row.get(0))
        .unwrap();
    let names = String::from_utf8_lossy(&directory);
    assert!(
        !names.contains("campaign") && !names.contains("utm"),
        "{names}"
    );
    let campaign = Campaign {
        source: "newsletter",
        ..Campaign::default()
    };
    let of_campaign = |at| Row {
        campaign,
        ..row(at, 1)
    };
    // Rows are in a chunk and in the tail.
    engine.insert(&[5, 6, 7, 8, 9, 10].map(of_campaign));
    let query = by_value(VisitFilter::default(), Dimension::UtmSource);
    let report = engine.log.metrics(&query).await.unwrap();
    let found = report.rows.iter().map(|row| (row.name.as_str(), row.count));
    assert_eq!(found.collect::<Vec<_>>(), [("newsletter", 6), ("", 5)]);
}

/// An export, during changes to the log.
#[tokio::test]
async fn an_export_has_the_visits_of_its_beginning_once_whatever_happens_meanwhile() {
    const DAY: i64 = 86_400_000;

    let mut engine = Embedded::new(10);
    // Several small chunks of each day, and some rows in the tail.
    for day in 0..3 {
        for part in 0..4 {
            let rows: Vec<Row<'_>> = (0..10)
                .map(|n| {
                    row(
                        day * DAY + n,
                        u64::try_from(day * 100 + part * 10 + n).unwrap(),
                    )
                })
                .collect();
            engine.insert(&rows);
        }
    }
    engine.insert(&[row(2 * DAY, 900), row(2 * DAY, 901)]);
    let mut export = engine.log.visits(&VisitFilter::default()).await.unwrap();
    let first = export.next().await.unwrap();
    assert_eq!(first.len(), 2, "the tail comes first");

    // The tail is sealed, new visits come, a day ends, and small chunks wait to be merged.
    let new: Vec<Row<'_>> = (0..25).map(|n| row(2 * DAY, 1_000 + n)).collect();
    engine.insert(&new);
    while seal::seal_before(&mut engine.db, 9, 10).unwrap() {}
    let days = (i64::MIN, 9);
    assert_eq!(
        merge::merge_day_alone(&mut engine.db, days, 400).unwrap(),
        None
    );
    upkeep::delete_chunks(&engine.db, DAY, i64::MIN).unwrap();
    let mut found: Vec<u64> = first.iter().map(|visit| visit.visitor).collect();
    loop {
        let visits = export.next().await.unwrap();
        if visits.is_empty() {
            break;
        }
        found.extend(visits.iter().map(|visit| visit.visitor));
    }
    found.sort_unstable();
    let expected: Vec<u64> = (100..140).chain(200..240).chain(900..902).collect();
    assert_eq!(found, expected);

    drop(export);
    let merged = merge::merge_day_alone(&mut engine.db, days, 400).unwrap();
    assert!(merged.is_some(), "chunks are merged again");
    // A chunk gets no number of an earlier chunk.
    let last: i64 = engine
        .db
        .query_row("SELECT max(id) FROM chunk", [], |row| row.get(0))
        .unwrap();
    engine.db.execute("DELETE FROM chunk", []).unwrap();
    engine.insert(&(0..10).map(|n| row(n, 1)).collect::<Vec<_>>());
    let next: i64 = engine
        .db
        .query_row("SELECT min(id) FROM chunk", [], |row| row.get(0))
        .unwrap();
    assert!(next > last);
}

#[tokio::test]
async fn an_export_keeps_no_transaction_open_while_its_reader_waits() {
    let mut engine = Embedded::new(10);
    for part in 0..5 {
        let rows: Vec<Row<'_>> = (0..10).map(|n| row(n, part * 10)).collect();
        engine.insert(&rows);
    }
    let mut export = engine.log.visits(&VisitFilter::default()).await.unwrap();
    export.next().await.unwrap();
    engine.insert(&[row(7, 7)]);
    let (busy, in_log, moved): (bool, i64, i64) = engine
        .db
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!((busy, in_log, moved), (false, 0, 0));
}

#[tokio::test]
async fn an_export_of_a_damaged_chunk_fails() {
    let mut engine = Embedded::new(10);
    engine.insert(&(0..10).map(|n| row(n, 1)).collect::<Vec<_>>());
    engine
        .db
        .execute("UPDATE chunk SET directory = x'00'", [])
        .unwrap();
    let mut export = engine.log.visits(&VisitFilter::default()).await.unwrap();
    let error = export.next().await.unwrap_err();
    assert!(matches!(error, VisitLogError::Failed { .. }), "{error:?}");
}
