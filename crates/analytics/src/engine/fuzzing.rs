//! The door for `fuzz/`: the chunk format is nobody else's business.

use super::{
    chunk::{Span, decode, encode, seal},
    column::Column,
};

/// Takes bytes for a column of a chunk, as they are and with the checksum that
/// would belong to them, and checks what holds for all: they are refused, or
/// are as many values as the chunk has rows, which come back when written.
///
/// # Panics
/// It does not hold.
pub fn fuzz_chunk(bytes: &[u8]) {
    let Some((&[rows, columns], blob)) = bytes.split_first_chunk() else {
        return;
    };
    let span = Span {
        rows: rows.into(),
        min_ts: 0,
        max_ts: i64::from(columns),
    };
    let column = if columns % 2 == 0 {
        Column::Visitor
    } else {
        Column::Interval
    };
    read(span, column, blob);
    let mut sealed = blob.to_owned();
    if seal(span, column, &mut sealed) {
        read(span, column, &sealed);
    }
}

fn read(span: Span, column: Column, blob: &[u8]) {
    let narrow = decode::<u32>(span, column, blob);
    let Ok(values) = decode::<u64>(span, column, blob) else {
        assert!(narrow.is_err(), "what is no number is no small number");
        return;
    };
    assert_eq!(u32::try_from(values.len()), Ok(span.rows));
    let fits = values.iter().all(|&value| u32::try_from(value).is_ok());
    assert_eq!(narrow.is_ok(), fits, "a number is never cut to fit");
    let written = encode(span, column, &values);
    assert_eq!(decode::<u64>(span, column, &written), Ok(values));
}
