use std::{cell::RefCell, iter};

use proptest::{collection::vec, prelude::*, sample::Index};
use rusqlite::Connection;

use super::super::{block::Block, chunk::SPAN_MAX_MS, column::Column, schema, seal, tail};

/// A row as numbers, in the order of [`rows_of`]'s columns.
type Numbers = (i64, [u32; 5], u64, u32, bool);

/// Mostly moments close to one another, some further away than a chunk reaches.
fn moments() -> impl Strategy<Value = i64> {
    let span = i64::try_from(SPAN_MAX_MS).unwrap();
    prop_oneof![
        6 => 0..300_i64,
        1 => 0..=span,
        1 => -3 * span..=3 * span,
        1 => Just(span),
    ]
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let id = prop_oneof![0_u32..4, 0..70_000_u32, any::<u32>()];
    let ids = [id.clone(), id.clone(), id.clone(), id.clone(), id];
    (moments(), ids, any::<u64>(), 1..=u32::MAX, any::<bool>())
}

fn block_of(rows: &[Numbers], base: i64) -> Block {
    let mut block = Block::default();
    for &(at, [target, client, place, referer, language], visitor, interval, coherent) in rows {
        block.rows += 1;
        block.time.push(base + at);
        block.target.push(target);
        block.client.push(client);
        block.place.push(place);
        block.referer.push(referer);
        block.language.push(language);
        block.visitor.push(visitor);
        block.interval.push(interval);
        block.coherent.push(coherent.into());
    }
    block
}

fn rows_of(block: &Block, base: i64) -> Vec<Numbers> {
    let row = |row: usize| {
        let ids = [
            &block.target,
            &block.client,
            &block.place,
            &block.referer,
            &block.language,
        ];
        (
            block.time[row] - base,
            ids.map(|column| column[row]),
            block.visitor[row],
            block.interval[row],
            block.coherent[row] == 1,
        )
    };
    (0..block.rows).map(row).collect()
}

fn chunks(db: &Connection, base: i64) -> Vec<Vec<Numbers>> {
    let selection = Block::selection(&Column::ALL);
    let mut statement = db
        .prepare(&format!("SELECT {selection} FROM chunk ORDER BY id"))
        .unwrap();
    let mut found = statement.query([]).unwrap();
    let mut chunks = Vec::new();
    while let Some(row) = found.next().unwrap() {
        let block = Block::read(row, &Column::ALL).unwrap();
        assert_eq!(
            block.rows,
            usize::try_from(row.get::<_, u32>(2).unwrap()).unwrap()
        );
        chunks.push(rows_of(&block, base));
    }
    chunks
}

#[test]
fn rows_are_in_chunks_and_tail_exactly_as_they_came() {
    let folder = tempfile::tempdir().unwrap();
    let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
    // Nobody needs these rows after a power loss.
    db.execute_batch("PRAGMA synchronous = OFF").unwrap();
    let db = RefCell::new(db);
    let base = prop_oneof![Just(1_767_225_600_000_i64), -(1_i64 << 53)..1_i64 << 53];
    proptest!(|(
        base in base,
        rows in vec(numbers(), 0..120),
        batch in any::<Index>(),
        rows_per_chunk in 1_usize..60,
    )| {
        let mut db = db.borrow_mut();
        db.execute_batch("DELETE FROM chunk; DELETE FROM tail").unwrap();
        // Those of a large batch become chunks at once, the others come one by one.
        let (batch, rows) = rows.split_at(batch.index(rows.len() + 1));
        seal::write(&db, &block_of(batch, base)).unwrap();
        tail::insert(&db, &block_of(rows, base)).unwrap();
        seal::seal(&mut db, rows_per_chunk).unwrap();

        let portions = rows.chunks_exact(rows_per_chunk);
        let rest = portions.remainder();
        let mut expected = Vec::new();
        for portion in iter::once(batch).chain(portions) {
            let mut portion = portion.to_vec();
            portion.sort_by_key(|row| row.0);
            expected.extend(portion);
        }
        let chunks = chunks(&db, base);
        for chunk in &chunks {
            let (first, last) = (chunk[0].0, chunk[chunk.len() - 1].0);
            prop_assert!(first.abs_diff(last) <= SPAN_MAX_MS);
        }
        prop_assert_eq!(chunks.concat(), expected);
        let tail = tail::read(&db, i64::MIN, usize::MAX).unwrap();
        prop_assert_eq!(rows_of(&tail.block, base), rest);
    });
}
