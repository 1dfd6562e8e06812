//! One batch, one transaction.

use std::{
    net::Ipv4Addr,
    sync::{Arc, Mutex},
};

use rusqlite::Connection;
use slugline_analytics::{
    QueryLimits, RecorderOptions, RecorderPorts, Sampled,
    batch::Batch,
    columns::text_of,
    journal::{appender::Appender, open},
    row::Kept,
    visitor::VisitorHash,
};
use slugline_domain::{
    Colo, Coordinates, Country, Dimension, Place, PlaceName, SamplingInterval, TimeZoneName,
    UnixMillis, Visit, VisitHeaders, VisitRecord, Way, ports::VisitObserver,
};
use slugline_testkit::{FixedClock, NOON, SeededRandom, link};

use crate::{
    file::{embedded_rows::EmbeddedRows, limits::QueryPermits, links, schema, tail},
    format::block::Numbers,
};

fn visit(at: i64, url: &str, user_agent: &str) -> Kept {
    let visit = Visit {
        at: UnixMillis::new(at),
        link: link("docs").id("docs-1").to(url).followed(),
        client: Ipv4Addr::new(203, 0, 113, 7).into(),
        headers: VisitHeaders::new(
            user_agent,
            "https://news.example/today?token=1",
            "de-AT,de;q=0.9",
        ),
        place: Some(Box::new(vienna())),
        way: Way::Main,
    };
    Kept {
        visit,
        visitor: VisitorHash(7),
        sampled: Sampled {
            interval: SamplingInterval::EVERY,
            coherent: true,
        },
    }
}

fn vienna() -> Place {
    Place {
        country: Country::parse("AT").ok(),
        region: None,
        city: PlaceName::new("Vienna"),
        timezone: TimeZoneName::new("Europe/Vienna"),
        colo: Colo::new("vie"),
        coordinates: Coordinates::new(48.208_49, 16.372_08),
    }
}

fn open(folder: &tempfile::TempDir) -> Appender {
    open_with(folder, Vec::new())
}

fn open_with(folder: &tempfile::TempDir, observers: Vec<Arc<dyn VisitObserver>>) -> Appender {
    let options = RecorderOptions::default();
    let ports = RecorderPorts {
        observers,
        ..RecorderPorts::new(
            Arc::new(FixedClock::at(NOON)),
            Arc::new(SeededRandom::new(1)),
        )
    };
    let tally = Arc::default();
    let permits = Arc::new(QueryPermits::under(QueryLimits::default()));
    let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
    let rows = Box::new(EmbeddedRows::new(&options, permits));
    Appender::over(db, rows, &options, ports, tally).unwrap()
}

/// Notes each visit that it hears of.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<String>>);

impl VisitObserver for Notes {
    fn observe(&self, record: &VisitRecord<'_>) {
        let note = format!(
            "{} {} {} {} {}",
            record.at.get(),
            record.link_id,
            record.user_agent,
            record.referer,
            record.place.city_label(),
        );
        self.0.lock().unwrap().push(note);
    }
}

fn count(db: &Connection, table: &str) -> u32 {
    db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
        row.get(0)
    })
    .unwrap()
}

#[test]
fn a_visit_is_stored_with_what_is_derived_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut appender = open(&folder);
    appender
        .append(&vec![visit(5, "https://example.com/a", "curl/8.7.1")].into())
        .unwrap();
    let stored = tail::all(appender.db());
    let numbers = Numbers {
        time: 5,
        link: links::find(appender.db(), "docs-1").unwrap().unwrap(),
        visitor: 7,
        interval: 1,
        coherent: true,
    };
    assert_eq!((stored.rows, stored.numbers(0)), (1, numbers));
    assert_eq!(
        stored.texts_of(0).0.join("|"),
        "docs|https://example.com/a|curl/8.7.1||curl|cli|||AT|🇦🇹 Austria|🇦🇹 Vienna,Austria|\
         Europe/Vienna|VIE|48.21|16.37|news.example|de-AT||||none"
    );
}

/// Fills the tail and appends a batch, which fails. The batch can be appended once the trigger
/// `disk_full` is dropped.
fn batch_on_a_full_disk(appender: &mut Appender) -> Batch {
    appender
        .db()
        .execute_batch(
            "CREATE TEMP TRIGGER disk_full BEFORE INSERT ON tail WHEN NEW.last_ts = 2 \
             BEGIN SELECT RAISE(ABORT, 'full'); END",
        )
        .unwrap();
    let batch = Batch::from(vec![
        visit(1, "https://example.com/a", "Example/1.0"),
        visit(2, "https://example.com/b", "Example/2.0"),
    ]);
    assert!(appender.append(&batch).is_err());
    batch
}

#[test]
fn observers_hear_of_a_visit_once_it_is_durable_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (Arc::new(Notes::default()), Arc::new(Notes::default()));
    let mut appender = open_with(&folder, vec![first.clone(), second.clone()]);
    let batch = batch_on_a_full_disk(&mut appender);
    assert_eq!(*first.0.lock().unwrap(), [""; 0]);

    appender
        .db()
        .execute_batch("DROP TRIGGER disk_full")
        .unwrap();
    appender.append(&batch).unwrap();
    let heard = [
        "1 docs-1 Example/1.0 news.example 🇦🇹 Vienna,Austria",
        "2 docs-1 Example/2.0 news.example 🇦🇹 Vienna,Austria",
    ];
    assert_eq!(*first.0.lock().unwrap(), heard);
    assert_eq!(*second.0.lock().unwrap(), heard);
}

#[test]
fn the_wiping_of_a_salt_waits_for_no_question() {
    let folder = tempfile::tempdir().unwrap();
    let appender = open(&folder);
    let reader = open::open_reader(&folder.path().join("a.db")).unwrap();
    appender
        .db()
        .execute("INSERT INTO salt VALUES ('day', 1, 2, x'00')", [])
        .unwrap();
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(count(&reader, "salt"), 1);
    appender.db().execute("DELETE FROM salt", []).unwrap();
    assert!(!open::empty_write_ahead_log(appender.db(), std::time::Duration::ZERO).unwrap());
    reader.execute_batch("COMMIT").unwrap();
    assert!(open::empty_write_ahead_log(appender.db(), std::time::Duration::ZERO).unwrap());
    // Other statements wait for locks as before.
    let patience: u32 = appender
        .db()
        .pragma_query_value(None, "busy_timeout", |row| row.get(0))
        .unwrap();
    assert_eq!(patience, 1_000);
}

#[test]
fn texts_are_stored_within_their_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let mut appender = open(&folder);
    let url = format!("https://example.com/{}", "a".repeat(16_000));
    appender
        .append(&vec![visit(5, &url, &"ü".repeat(1_000))].into())
        .unwrap();
    let stored = tail::all(appender.db());
    let length = |dimension| stored.text(text_of(dimension), 0).len();
    let lengths = [Dimension::Url, Dimension::UserAgent].map(length);
    assert_eq!(lengths, [12 * 1_024, 256]);
}

#[test]
fn a_full_disk_takes_the_batch_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut appender = open(&folder);
    let pages = |limit: u32| format!("PRAGMA max_page_count = {limit}");
    let visits: Vec<Kept> = (0..2_000)
        .map(|n| visit(n, &format!("https://example.com/{n}"), "Example/1.0"))
        .collect();
    let batch = Batch::from(visits);
    appender.db().execute_batch(&pages(1)).unwrap();
    assert!(appender.append(&batch).is_err());
    assert!(appender.append(&batch).is_err());
    appender.db().execute_batch(&pages(u32::MAX - 1)).unwrap();
    appender.append(&batch).unwrap();
    assert_eq!(tail::all(appender.db()).rows, 2_000);
    assert_eq!(count(appender.db(), "link"), 1);
}

#[test]
fn a_batch_that_fails_leaves_nothing_and_can_be_appended_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut appender = open(&folder);
    let batch = batch_on_a_full_disk(&mut appender);
    for (table, rows) in [("tail", 0), ("link", 0)] {
        assert_eq!(count(appender.db(), table), rows, "{table}");
    }

    appender
        .db()
        .execute_batch("DROP TRIGGER disk_full")
        .unwrap();
    appender.append(&batch).unwrap();
    let stored = tail::all(appender.db());
    assert_eq!((stored.rows, count(appender.db(), "link")), (2, 1));
    let link = links::find(appender.db(), "docs-1").unwrap();
    assert!((0..2).all(|row| Some(stored.link.at(row)) == link));
}
