use std::{error::Error, fs};

use rusqlite::Connection;
use slugline_analytics::{OpenError, Recorder, RecorderOptions};
use slugline_domain::{
    CountersQuery,
    ports::{VisitLog, VisitSink},
};

use crate::support::{Fixture, NEW_YEAR_MS, ports, visit};

fn options() -> RecorderOptions {
    RecorderOptions {
        rows_per_chunk: 64,
        ..RecorderOptions::default()
    }
}

async fn with_one_chunk() -> Fixture {
    let fixture = Fixture::new(options());
    for client in 0..64 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture
        .recorder
        .flush()
        .await
        .expect("the log takes visits");
    // Also past the sealing that follows a commit.
    fixture
        .recorder
        .flush()
        .await
        .expect("the log takes visits");
    fixture
}

/// Why no question can be answered, with everything behind it.
async fn reason(fixture: &Fixture) -> String {
    let error = fixture
        .log
        .counters(&CountersQuery::default())
        .await
        .expect_err("the chunk is damaged");
    let mut parts = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        parts.push(error.to_string());
        cause = error.source();
    }
    parts.join(": ")
}

#[tokio::test]
async fn a_damaged_chunk_is_an_error_that_names_it() {
    for (damage, expected) in [
        (
            "UPDATE chunk SET ip = zeroblob(length(ip))",
            "column ip has 529 bytes where 17 belong",
        ),
        (
            "UPDATE chunk SET ip = substr(ip, 1, 100)",
            "column ip has 100 bytes where 529 belong",
        ),
        (
            "UPDATE chunk SET ref = x''",
            "column ref ends within its header",
        ),
        (
            "UPDATE chunk SET n = 63",
            "the checksum of column si does not match",
        ),
        (
            "UPDATE chunk SET max_ts = max_ts + 1",
            "the checksum of column si does not match",
        ),
        ("UPDATE chunk SET format = 9", "its format 9 is unknown"),
    ] {
        let fixture = with_one_chunk().await;
        Connection::open(fixture.file())
            .unwrap()
            .execute_batch(damage)
            .unwrap();
        assert_eq!(
            reason(&fixture).await,
            format!("access log failed to count visits: chunk 1 is damaged: {expected}")
        );
    }
}

#[tokio::test]
async fn a_damaged_chunk_does_not_keep_new_visits_out() {
    let fixture = with_one_chunk().await;
    Connection::open(fixture.file())
        .unwrap()
        .execute_batch("UPDATE chunk SET ip = x''")
        .unwrap();
    for client in 0..70 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture.recorder.flush().await.unwrap();
    assert_eq!(fixture.recorder.dropped(), 0);
}

#[test]
fn a_file_that_is_no_access_log_is_refused_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("analytics.db");
    let open = || Recorder::start(&path, options(), ports()).map(|_| ());

    fs::write(&path, "Dear diary, today I was opened as a database.").unwrap();
    let error = open().unwrap_err();
    assert!(matches!(error, OpenError::Sqlite { .. }));
    let message = format!("cannot open access log {}", path.display());
    assert_eq!(error.to_string(), message);
    assert_eq!(
        error.source().unwrap().to_string(),
        "file is not a database"
    );
    fs::remove_file(&path).unwrap();
    open().unwrap();
}

#[test]
fn a_missing_folder_is_an_error_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").join("analytics.db");
    let error = Recorder::start(&path, options(), ports()).unwrap_err();
    assert!(error.to_string().contains("missing"));
}
