use std::cell::RefCell;

use proptest::{collection::vec, prelude::*, sample::Index};
use rusqlite::Connection;
use slugline_analytics::{columns::STORED, utc::MILLIS_PER_DAY};

use crate::{
    file::{chunk::Chunk, schema, seal},
    format::{
        block::{Block, Numbers, RowTexts},
        block_builder::BlockBuilder,
    },
};

/// A row: numbers, and one text of each column.
pub(crate) type Stored = (Numbers, [String; STORED]);

fn numbers() -> impl Strategy<Value = Numbers> {
    let moments = prop_oneof![
        6 => 0..300_i64,
        1 => 0..=MILLIS_PER_DAY,
        1 => -3 * MILLIS_PER_DAY..=3 * MILLIS_PER_DAY,
    ];
    let link = prop_oneof![1..4_i64, 1..70_000_i64, 1..=i64::MAX];
    (moments, link, any::<u64>(), 1..=u32::MAX, any::<bool>()).prop_map(
        |(time, link, visitor, interval, coherent)| Numbers {
            time,
            link,
            visitor,
            interval,
            coherent,
        },
    )
}

pub(crate) fn stored() -> impl Strategy<Value = Stored> {
    let text =
        prop::sample::select(&["", "a", "b", "0.00", "a long text of more than a few bytes"][..]);
    let texts: [_; STORED] = std::array::from_fn(|_| text.clone().prop_map(str::to_owned));
    (numbers(), texts)
}

pub(crate) fn draft_of(rows: &[Stored]) -> BlockBuilder {
    let mut draft = BlockBuilder::default();
    for (numbers, texts) in rows {
        draft.push(*numbers, &RowTexts(texts.each_ref().map(String::as_str)));
    }
    draft
}

pub(crate) fn rows_of(block: &Block) -> Vec<Stored> {
    let row = |row| (block.numbers(row), block.texts_of(row).0.map(str::to_owned));
    (0..block.rows).map(row).collect()
}

fn chunks(db: &Connection) -> Vec<Vec<Stored>> {
    let sql = format!("SELECT {} FROM chunk ORDER BY id", Chunk::COLUMNS);
    let mut statement = db.prepare(&sql).unwrap();
    let mut found = statement.query([]).unwrap();
    let mut chunks = Vec::new();
    while let Some(row) = found.next().unwrap() {
        let chunk = Chunk::read(db, row).unwrap();
        chunks.push(rows_of(&Block::whole(&chunk).unwrap()));
    }
    chunks
}

#[test]
fn rows_are_in_chunks_exactly_as_they_came() {
    let folder = tempfile::tempdir().unwrap();
    let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
    // These rows need not survive a power loss.
    db.execute_batch("PRAGMA synchronous = OFF").unwrap();
    let db = RefCell::new(db);
    let base = prop_oneof![Just(20_454 * MILLIS_PER_DAY), -(1_i64 << 53)..1_i64 << 53];
    proptest!(|(
        base in base,
        mut rows in vec(stored(), 0..120),
        some in any::<Index>(),
    )| {
        let db = db.borrow_mut();
        db.execute_batch("DELETE FROM chunk").unwrap();
        for (numbers, _) in &mut rows {
            numbers.time += base;
        }
        // In memory the rows keep their order.
        prop_assert_eq!(&rows_of(&draft_of(&rows).into_block()), &rows);
        let (one, other) = rows.split_at(some.index(rows.len() + 1));
        let mut expected = Vec::new();
        for portion in [one, other] {
            seal::write(&db, &draft_of(portion), None).unwrap();
            let mut portion = portion.to_vec();
            let day = |numbers: &Numbers| numbers.time.div_euclid(MILLIS_PER_DAY);
            portion.sort_by_key(|(numbers, _)| (day(numbers), numbers.link, numbers.time));
            let same_day = |one: &Stored, next: &Stored| day(&one.0) == day(&next.0);
            expected.extend(portion.chunk_by(same_day).map(<[Stored]>::to_vec));
        }
        prop_assert_eq!(chunks(&db), expected);
    });
}
