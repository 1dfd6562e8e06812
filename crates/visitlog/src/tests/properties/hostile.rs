//! Chunks that no writer makes, with checksums that match.

use std::{cell::RefCell, time::Duration};

use proptest::{collection::vec, option, prelude::*};
use rusqlite::{Connection, params};
use slugline_analytics::columns::{Family, TEXTS};
use slugline_domain::{
    Choice, CountersQuery, Dimension, EventsQuery, LinkId, LocationsQuery, RowLimit, VisitFilter,
};
use slugline_testkit::questions;

use crate::{
    file::{error::EngineError, limits::Deadline, schema, snapshot::Snapshot},
    format::chunk::{Encoder, FORMAT, Span, part_id},
    query::{counters, events, link_totals, metrics},
};

/// The numbers of each possible column.
fn columns(names: usize) -> impl Strategy<Value = Vec<Option<Vec<u64>>>> {
    let number = prop_oneof![8 => 0..6_u64, 1 => Just(u64::from(u32::MAX)), 1 => any::<u64>()];
    let rows = prop_oneof![4 => Just(5_usize), 1 => 0..6_usize];
    let one = rows.prop_flat_map(move |rows| vec(number.clone(), rows));
    // The numbers of links and ends are mostly in order.
    let one = (one, any::<bool>()).prop_map(|(mut numbers, sort)| {
        if sort {
            numbers.sort_unstable();
        }
        numbers
    });
    vec(option::weighted(0.9, one), names)
}

fn ask(snapshot: &Snapshot<'_>, filter: &VisitFilter) -> Result<(), EngineError> {
    let filter = || filter.clone();
    for per_link in [false, true] {
        let filter = filter();
        match counters::answer(snapshot, &CountersQuery { filter, per_link }) {
            Ok(_) | Err(EngineError::Dangling { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let limit = RowLimit::DEFAULT;
    for &dimension in Dimension::ALL {
        metrics::answer(snapshot, &questions::by_value(filter(), dimension))?;
    }
    let query = LocationsQuery {
        filter: filter(),
        limit,
    };
    metrics::answer_places(snapshot, &query)?;
    let limit = RowLimit::new(1, RowLimit::MAX).unwrap();
    let query = EventsQuery {
        filter: filter(),
        limit,
    };
    events::answer(snapshot, &query)?;
    link_totals::answer(snapshot, &filter()).map(drop)
}

fn insert(db: &Connection, span: Span, encoder: Encoder) {
    let (directory, parts) = encoder.finish();
    let row = params![FORMAT, span.min_ts, span.max_ts, span.rows, directory];
    db.execute(
        "INSERT INTO chunk (id, format, day, min_ts, max_ts, n, directory) \
         VALUES (1, ?1, 0, ?2, ?3, ?4, ?5)",
        row,
    )
    .unwrap();
    for (position, data) in parts {
        db.execute(
            "INSERT INTO part VALUES (?1, ?2)",
            params![part_id(1, position), data],
        )
        .unwrap();
    }
}

#[test]
fn any_chunk_is_answered_from_or_left_out() {
    const NUMBERS: [&str; 6] = ["ts", "si", "coh", "visitor", "links", "link_ends"];
    let folder = tempfile::tempdir().unwrap();
    let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
    db.execute_batch("PRAGMA synchronous = OFF; INSERT INTO link VALUES (3, 'three')")
        .unwrap();
    let db = RefCell::new(db);
    let families = Family::STORED.map(Family::name);
    let keys = Family::STORED.map(Family::keys);
    let names: Vec<&str> = [
        &NUMBERS[..],
        &families,
        &keys,
        &TEXTS.map(|column| column.name),
    ]
    .concat();
    let texts = vec(
        prop::sample::subsequence(vec!["", "DE", "a", "link", "ü"], 0..6),
        TEXTS.len(),
    );
    proptest!(|(
        rows in prop_oneof![4 => Just(5_u32), 1 => 0..7_u32],
        columns in columns(names.len()),
        texts in texts,
    )| {
        let mut db = db.borrow_mut();
        db.execute_batch("DELETE FROM chunk").unwrap();
        let span = Span { rows, min_ts: 0, max_ts: 9 };
        let mut encoder = Encoder::new(span);
        for (name, numbers) in names.iter().zip(&columns) {
            if let Some(numbers) = numbers {
                encoder.numbers(name, numbers);
            }
        }
        for (column, texts) in TEXTS.iter().zip(&texts) {
            encoder.texts(column.name, texts.iter().copied());
        }
        insert(&db, span, encoder);
        let of_link = questions::of_links(Choice::any_of([LinkId::parse("three").unwrap()]));
        let of_texts = VisitFilter { values: vec![
                (Dimension::Country, Choice::any_of(["DE".to_owned()])),
                (Dimension::Slug, Choice::none_of(["a".to_owned()])),
            ], ..VisitFilter::default() };
        for filter in [VisitFilter::default(), of_link, of_texts] {
            let deadline = Deadline::after(Duration::from_mins(10));
            let snapshot = Snapshot::take(&mut db, deadline).unwrap();
            ask(&snapshot, &filter).unwrap();
        }
    });
}
