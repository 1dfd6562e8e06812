//! The chunk format: how one column of many rows stands in a BLOB.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 1 | width of an entry: 0, 1, 2, 4 or 8 bytes |
//! | 8 | base: the smallest value |
//! | 8 | checksum |
//! | rows × width | value less base, for each row in order of time |
//!
//! Width 0 means that all values equal the base; on a log that is not sampled
//! this makes two columns free. Times are milliseconds since the chunk's first
//! moment and fit 32 bits. The checksum also covers which column this is and
//! the chunk's number of rows and span, so that neither a flipped bit nor an
//! exchanged or cut value can pass for an answer.

use thiserror::Error;

use super::{
    column::Column,
    selection::{Selection, index},
};

/// The format written, and the only one there is so far.
pub(super) const FORMAT: u8 = 1;

/// Longest time from the first to the last row of a chunk: what 32 bits hold,
/// a bit more than 49 days.
pub(super) const SPAN_MAX_MS: u64 = (1 << 32) - 1;

const HEADER_BYTES: usize = 17;

/// What a chunk's row in the table says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) rows: u32,
    pub(super) min_ts: i64,
    pub(super) max_ts: i64,
}

/// Why a chunk cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum ChunkError {
    #[error("its format {found} is unknown")]
    Format { found: i64 },
    #[error("column {column} is missing")]
    Absent { column: &'static str },
    #[error("column {column} ends within its header")]
    Header { column: &'static str },
    #[error("column {column} has entries of {width} bytes")]
    Width { column: &'static str, width: u8 },
    #[error("column {column} has {found} bytes where {expected} belong")]
    Length {
        column: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("the checksum of column {column} does not match")]
    Checksum { column: &'static str },
    #[error("column {column} holds a number that is too large for it")]
    Value { column: &'static str },
}

/// Writes a column.
pub(super) fn encode(span: Span, column: Column, values: &[u64]) -> Vec<u8> {
    let base = values.iter().copied().min().unwrap_or(0);
    let largest = values.iter().copied().max().unwrap_or(0) - base;
    let width = match largest {
        0 => 0,
        1..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    };
    let mut blob = Vec::with_capacity(HEADER_BYTES + values.len() * width);
    blob.push(u8::try_from(width).expect("a width is at most 8"));
    blob.extend(base.to_le_bytes());
    blob.extend([0; 8]);
    if width > 0 {
        for value in values {
            blob.extend(&(value - base).to_le_bytes()[..width]);
        }
    }
    let sealed = seal(span, column, &mut blob);
    debug_assert!(sealed, "the header was written");
    blob
}

/// Puts in the checksum that belongs to a column, unless it ends within its
/// header.
pub(super) fn seal(span: Span, column: Column, blob: &mut [u8]) -> bool {
    if blob.len() < HEADER_BYTES {
        return false;
    }
    let checksum = checksum(span, column, blob);
    blob[9..HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
    true
}

/// Reads all rows of a column that belongs to a chunk of this span.
#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn decode<T: Number>(
    span: Span,
    column: Column,
    blob: &[u8],
) -> Result<Vec<T>, ChunkError> {
    decode_rows(span, column, blob, &Selection::All)
}

/// Reads some rows of a column that belongs to a chunk of this span. The whole
/// column has to be sound.
pub(super) fn decode_rows<T: Number>(
    span: Span,
    column: Column,
    blob: &[u8],
    rows: &Selection,
) -> Result<Vec<T>, ChunkError> {
    let name = column.name();
    let header = blob
        .first_chunk::<HEADER_BYTES>()
        .ok_or(ChunkError::Header { column: name })?;
    let [width, rest @ ..] = header;
    let width = *width;
    if !matches!(width, 0 | 1 | 2 | 4 | 8) {
        return Err(ChunkError::Width {
            column: name,
            width,
        });
    }
    let (base, stored_checksum) = rest.split_at(8);
    let count = index(span.rows);
    let expected = count
        .saturating_mul(usize::from(width))
        .saturating_add(HEADER_BYTES);
    if blob.len() != expected {
        return Err(ChunkError::Length {
            column: name,
            found: blob.len(),
            expected,
        });
    }
    if stored_checksum != checksum(span, column, blob).to_le_bytes() {
        return Err(ChunkError::Checksum { column: name });
    }

    let base = u64::from_le_bytes(base.try_into().expect("the header was split after 8 bytes"));
    let entries = &blob[HEADER_BYTES..];
    let values = match width {
        0 => values(base, &vec![[]; count], |[]| 0, rows),
        1 => values(base, entries.as_chunks().0, |[byte]| byte.into(), rows),
        2 => values(
            base,
            entries.as_chunks().0,
            |two| u16::from_le_bytes(two).into(),
            rows,
        ),
        4 => values(
            base,
            entries.as_chunks().0,
            |four| u32::from_le_bytes(four).into(),
            rows,
        ),
        _ => values(base, entries.as_chunks().0, u64::from_le_bytes, rows),
    };
    // Writers make no such columns, so this is damage that the checksum did
    // not notice.
    values.ok_or(ChunkError::Value { column: name })
}

/// The chosen entries, each added to the base; `None` when any of all is too
/// large. That is found out beforehand, so that the processor can take several
/// values at a time.
fn values<const WIDTH: usize, T: Number>(
    base: u64,
    entries: &[[u8; WIDTH]],
    read: impl Fn([u8; WIDTH]) -> u64,
    rows: &Selection,
) -> Option<Vec<T>> {
    let fits = |entry: u64| {
        base.checked_add(entry)
            .is_some_and(|largest| T::try_from(largest).is_ok())
    };
    let largest_of_width = read([0xff; WIDTH]);
    if !fits(largest_of_width) && !entries.iter().all(|&entry| fits(read(entry))) {
        return None;
    }
    let value = |entry| T::low_bits(base.wrapping_add(read(entry)));
    Some(match rows {
        Selection::All => entries.iter().map(|&entry| value(entry)).collect(),
        Selection::Rows(rows) => rows.iter().map(|&row| value(entries[index(row)])).collect(),
    })
}

/// What a column is read into.
pub(super) trait Number: TryFrom<u64> {
    /// The number with the lowest bits of another one.
    fn low_bits(number: u64) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            #[expect(
                clippy::allow_attributes,
                reason = "not every type is cut"
            )]
            #[allow(
                clippy::as_conversions,
                clippy::cast_possible_truncation,
                reason = "that is what it is for, and a checked conversion would be made one by one"
            )]
            fn low_bits(number: u64) -> Self {
                number as Self
            }
        }
    )*};
}

numbers!(u8, u32, u64);

/// FNV-1a taken eight bytes at a time. Each step is a bijection of the state,
/// so damage within one word is always noticed, and any other with all but one
/// chance in 2^64. It runs at memory speed, which a table-driven CRC does not.
fn checksum(span: Span, column: Column, blob: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(PRIME).rotate_left(29);

    let mut state = START;
    for word in [
        u64::from(FORMAT),
        u64::from(span.rows),
        span.min_ts.cast_unsigned(),
        span.max_ts.cast_unsigned(),
    ] {
        state = step(state, word);
    }
    for byte in column.name().bytes().chain(blob[..9].iter().copied()) {
        state = step(state, byte.into());
    }
    let (words, tail) = blob[HEADER_BYTES..].as_chunks();
    for word in words {
        state = step(state, u64::from_le_bytes(*word));
    }
    for &byte in tail {
        state = step(state, byte.into());
    }
    state
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const COLUMN: Column = Column::Visitor;

    fn span(rows: usize) -> Span {
        Span {
            rows: u32::try_from(rows).unwrap(),
            min_ts: 1_767_225_600_000,
            max_ts: 1_767_225_700_000,
        }
    }

    #[rstest]
    #[case::no_rows(&[], 0)]
    #[case::one_value(&[7; 5], 0)]
    #[case::one_byte(&[1_000_000, 1_000_255, 1_000_001], 1)]
    #[case::two_bytes(&[0, 256], 2)]
    #[case::two_bytes_full(&[5, 65_540, 70], 2)]
    #[case::four_bytes(&[0, 65_536], 4)]
    #[case::four_bytes_full(&[1, 4_294_967_296], 4)]
    #[case::eight_bytes(&[0, 4_294_967_296], 8)]
    #[case::eight_bytes_full(&[u64::MAX, 0, 3], 8)]
    fn values_come_back_in_the_smallest_width(#[case] values: &[u64], #[case] width: usize) {
        let span = span(values.len());
        let blob = encode(span, COLUMN, values);
        assert_eq!(blob.len(), HEADER_BYTES + values.len() * width);
        assert_eq!(decode::<u64>(span, COLUMN, &blob).unwrap(), values);
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        for values in [
            vec![9; 4],
            vec![1, 2, 3, 250, 5, 6, 7, 8, 9, 10, 11],
            vec![0, u64::MAX],
        ] {
            let span = span(values.len());
            let blob = encode(span, COLUMN, &values);
            for index in 0..blob.len() {
                for bit in 0..8 {
                    let mut damaged = blob.clone();
                    damaged[index] ^= 1 << bit;
                    assert!(decode::<u64>(span, COLUMN, &damaged).is_err());
                }
            }
        }
    }

    #[test]
    fn every_cut_and_every_addition_is_noticed() {
        let span = span(3);
        let mut blob = encode(span, COLUMN, &[1, 500, 3]);
        for length in 0..blob.len() {
            let error = decode::<u64>(span, COLUMN, &blob[..length]).unwrap_err();
            let expected = if length < HEADER_BYTES {
                ChunkError::Header { column: "ip" }
            } else {
                ChunkError::Length {
                    column: "ip",
                    found: length,
                    expected: blob.len(),
                }
            };
            assert_eq!(error, expected);
        }
        blob.push(0);
        assert!(decode::<u64>(span, COLUMN, &blob).is_err());
    }

    #[test]
    fn a_column_counts_only_in_its_own_chunk_and_place() {
        let values = [3, 3, 3];
        let own = span(3);
        let blob = encode(own, COLUMN, &values);
        let checksum = Err(ChunkError::Checksum { column: "ip" });
        for other in [
            span(4),
            Span { min_ts: 0, ..own },
            Span { max_ts: 0, ..own },
        ] {
            assert_eq!(decode::<u64>(other, COLUMN, &blob), checksum);
        }
        assert_eq!(
            decode::<u64>(own, Column::Target, &blob),
            Err(ChunkError::Checksum { column: "target" })
        );
    }

    #[test]
    fn a_number_too_large_for_its_column_is_refused() {
        let blob = encode(span(2), COLUMN, &[1, 256]);
        assert_eq!(
            decode::<u8>(span(2), COLUMN, &blob),
            Err(ChunkError::Value { column: "ip" })
        );
    }

    #[test]
    fn an_unknown_width_is_refused() {
        let mut blob = encode(span(1), COLUMN, &[1]);
        blob[0] = 3;
        assert_eq!(
            decode::<u64>(span(1), COLUMN, &blob),
            Err(ChunkError::Width {
                column: "ip",
                width: 3
            })
        );
    }
}
