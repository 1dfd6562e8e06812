//! The chunk format, for the columns of many rows.
//!
//! A chunk is a row of table `chunk`. A reader needs nothing else but the names of its links. The
//! row has a directory of the chunk's columns, by name:
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 8 | checksum of the directory and of the chunk's span |
//! | | then for each column: |
//! | 1, n | length of its name, name |
//! | 1 | width of its numbers: 0 to 56 or 64 bits; or 255 for texts |
//! | 4 | count, at most the number of rows |
//! | 8 | base: the smallest number; 0 for texts |
//! | 1, m | length of the data, data; or 255 if it is in a part |
//!
//! The data of numbers is each number minus the base ([`packed`]). Width 0 means that all are
//! equal; such a column, as two are in a log that is not sampled, needs no reading. Texts are in
//! order, and a text leaves out the ends that it shares with the one before ([`front_coded`]). Data
//! of more than [`HERE_MAX`] bytes is a row of table `part`: the checksums of its pieces, and the
//! data. A piece has 2,048 numbers, or all texts. Its checksum also covers its position and the
//! column's entry in the directory. So a flipped bit, an exchanged or a cut value is always
//! noticed, and the rows of one link can be read without all others. A column that is not in the
//! directory is unknown in all rows.
//!
//! Rows are in order of their links, and those of a link in order of time.

use std::ops::Range;

use thiserror::Error;

use super::{
    bytes::{put_name, take, take_array, take_name},
    front_coded::{self, FrontCoded},
    packed::{self, Packed},
    selection::{index, short},
};

/// The only format so far.
pub(crate) const FORMAT: u8 = 1;

/// The most rows: far more than writers put into a chunk, and few enough to go through them if a
/// damaged file claims so many.
const ROWS_MAX: u32 = 1 << 24;

/// The most bytes of data in the directory itself.
const HERE_MAX: usize = 64;

/// The numbers in a piece, which has a checksum of its own. A piece begins and ends at the edge of
/// a byte, at any width.
const PIECE_ROWS: usize = 2_048;

/// The bytes that a reader must be able to skip, or it reads the whole part.
const WORTH_IT: usize = 32 << 10;

/// The value of the width of a column of texts, and that of a length if the data is in a part.
const TEXTS: u8 = 255;
const IN_PART: u8 = 255;

const CHECKSUM_BYTES: usize = 8;

/// The description of a chunk, from its row in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) rows: u32,
    pub(crate) min_ts: i64,
    pub(crate) max_ts: i64,
}

/// The reason why a chunk cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum ChunkError {
    #[error("its format {found} is unknown")]
    Format { found: i64 },
    #[error("its directory ends early")]
    Directory,
    #[error("the checksum of its directory does not match")]
    DirectoryChecksum,
    #[error("column {column} is missing")]
    Absent { column: &'static str },
    #[error("it says that it has {rows} rows")]
    Rows { rows: u32 },
    #[error("column {column} is not as long as it says")]
    Size { column: &'static str },
    #[error("column {column} has {found} rows where {expected} belong")]
    Length {
        column: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("the checksum of column {column} does not match")]
    Checksum { column: &'static str },
    #[error("column {column} holds a number that is too large for it")]
    Value { column: &'static str },
    #[error("column {column} holds what is no text")]
    Text { column: &'static str },
}

/// Writes a chunk.
#[derive(Debug)]
pub(crate) struct Encoder {
    span: Span,
    directory: Vec<u8>,
    columns: u8,
    parts: Vec<(u8, Vec<u8>)>,
}

impl Encoder {
    pub(crate) fn new(span: Span) -> Self {
        Self {
            span,
            directory: vec![0; CHECKSUM_BYTES],
            columns: 0,
            parts: Vec::new(),
        }
    }

    /// Adds a column of numbers.
    pub(crate) fn numbers(&mut self, name: &str, numbers: &[u64]) {
        let base = numbers.iter().copied().min().unwrap_or(0);
        let largest = numbers.iter().copied().max().unwrap_or(0) - base;
        let width = packed::width(largest);
        let data = packed::pack(numbers, base, width);
        self.add(name, width, numbers.len(), base, data);
    }

    /// Adds a column of texts, which are in order.
    pub(crate) fn texts<'t>(&mut self, name: &str, texts: impl Iterator<Item = &'t str>) {
        let (data, count) = front_coded::write(texts);
        self.add(name, TEXTS, count, 0, data);
    }

    fn add(&mut self, name: &str, width: u8, count: usize, base: u64, data: Vec<u8>) {
        let header = self.directory.len();
        put_name(&mut self.directory, name);
        self.directory.push(width);
        self.directory.extend(short(count).to_le_bytes());
        self.directory.extend(base.to_le_bytes());
        match u8::try_from(data.len()) {
            Ok(length) if data.len() <= HERE_MAX => {
                self.directory.push(length);
                self.directory.extend(data);
            }
            Ok(_) | Err(_) => {
                let header = &self.directory[header..];
                let sums = pieces(&data, width).zip(0..);
                let sums = sums.flat_map(|(piece, position)| {
                    piece_checksum(self.span, header, position, piece).to_le_bytes()
                });
                let part = sums.collect::<Vec<u8>>();
                self.directory.push(IN_PART);
                self.parts.push((self.columns, [part, data].concat()));
            }
        }
        self.columns += 1;
    }

    /// The directory, and the parts with the indexes of their columns in it.
    pub(crate) fn finish(mut self) -> (Vec<u8>, Vec<(u8, Vec<u8>)>) {
        seal(self.span, &mut self.directory);
        (self.directory, self.parts)
    }
}

/// Writes the checksum of a directory into it.
pub(crate) fn seal(span: Span, directory: &mut [u8]) {
    if let Some((sum, rest)) = directory.split_first_chunk_mut::<CHECKSUM_BYTES>() {
        *sum = checksum(span, &[], rest).to_le_bytes();
    }
}

/// A column, as the directory describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The column's index in the directory.
    pub(crate) position: u8,
    /// The bytes that a part's checksum covers besides the data.
    header: Vec<u8>,
    name: String,
    width: u8,
    count: u32,
    base: u64,
    /// `None` if the data is in a part.
    data: Option<Vec<u8>>,
}

/// The columns of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directory {
    pub(crate) span: Span,
    entries: Vec<Entry>,
}

impl Directory {
    /// Reads the directory of a chunk with this span.
    pub(crate) fn parse(span: Span, bytes: &[u8]) -> Result<Self, ChunkError> {
        let (sum, rest) = bytes
            .split_first_chunk::<CHECKSUM_BYTES>()
            .ok_or(ChunkError::Directory)?;
        if *sum != checksum(span, &[], rest).to_le_bytes() {
            return Err(ChunkError::DirectoryChecksum);
        }
        if span.rows > ROWS_MAX {
            return Err(ChunkError::Rows { rows: span.rows });
        }
        let mut rest = rest;
        let mut entries = Vec::new();
        for position in 0..=u8::MAX {
            if rest.is_empty() {
                return Ok(Self { span, entries });
            }
            let entry = entry(position, &mut rest).filter(|entry| entry.count <= span.rows);
            entries.push(entry.ok_or(ChunkError::Directory)?);
        }
        Err(ChunkError::Directory)
    }

    /// The names of all columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The column of numbers of this name, if there is one.
    pub(crate) fn numbers(&self, name: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.name == name && entry.width != TEXTS)
    }

    /// The column of texts of this name, if there is one.
    pub(crate) fn texts(&self, name: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.name == name && entry.width == TEXTS)
    }
}

impl Entry {
    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        index(self.count)
    }

    /// The data, if it is in the directory.
    pub(crate) fn here(&self) -> Option<&[u8]> {
        self.data.as_deref()
    }

    /// The data of a part; an error if the part is damaged.
    pub(crate) fn data<'p>(
        &self,
        span: Span,
        column: &'static str,
        part: &'p [u8],
    ) -> Result<&'p [u8], ChunkError> {
        let (sums, data) = part
            .split_at_checked(self.pieces() * CHECKSUM_BYTES)
            .ok_or(ChunkError::Checksum { column })?;
        self.check(span, column, 0, sums, data)?;
        Ok(data)
    }

    /// The pieces of the part that have a range of rows, if these are much fewer than all.
    pub(crate) fn pieces_of(&self, first: u32, last: u32) -> Option<Pieces> {
        let (first, end) = (index(first) / PIECE_ROWS, index(last) / PIECE_ROWS + 1);
        let all = packed::length(self.count(), self.width)?;
        let piece = piece_bytes(self.width);
        let data = (first * piece).min(all)..(end * piece).min(all);
        let before = self.pieces() * CHECKSUM_BYTES;
        let is_worth_it = self.data.is_none() && data.len() + WORTH_IT < all;
        is_worth_it.then(|| Pieces {
            first,
            rows: first * PIECE_ROWS..(end * PIECE_ROWS).min(self.count()),
            sums: first * CHECKSUM_BYTES..end * CHECKSUM_BYTES,
            data: before + data.start..before + data.end,
            all: before + all,
        })
    }

    /// The numbers in some pieces; an error if a piece is damaged.
    pub(crate) fn numbers_of<'p>(
        &self,
        span: Span,
        column: &'static str,
        pieces: &Pieces,
        (sums, data): (&[u8], &'p [u8]),
    ) -> Result<Packed<'p>, ChunkError> {
        self.check(span, column, pieces.first, sums, data)?;
        let packed = Packed::new(data, pieces.rows.len(), self.base, self.width);
        packed.ok_or(ChunkError::Size { column })
    }

    /// Compares the checksums of pieces from the first one on.
    fn check(
        &self,
        span: Span,
        column: &'static str,
        first: usize,
        sums: &[u8],
        data: &[u8],
    ) -> Result<(), ChunkError> {
        let found = pieces(data, self.width).zip(first..);
        let found =
            found.map(|(piece, position)| piece_checksum(span, &self.header, position, piece));
        let sums = sums
            .as_chunks()
            .0
            .iter()
            .map(|sum| u64::from_le_bytes(*sum));
        if found.eq(sums) {
            Ok(())
        } else {
            Err(ChunkError::Checksum { column })
        }
    }

    fn pieces(&self) -> usize {
        if self.width == TEXTS {
            1
        } else {
            self.count().div_ceil(PIECE_ROWS)
        }
    }
}

/// The position of some pieces in their part, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pieces {
    first: usize,
    pub(crate) rows: Range<usize>,
    pub(crate) sums: Range<usize>,
    pub(crate) data: Range<usize>,
    /// The length of the part.
    pub(crate) all: usize,
}

fn pieces(data: &[u8], width: u8) -> impl Iterator<Item = &[u8]> {
    data.chunks(piece_bytes(width))
}

fn piece_bytes(width: u8) -> usize {
    if width == TEXTS {
        usize::MAX
    } else {
        PIECE_ROWS / 8 * usize::from(width.max(1))
    }
}

fn piece_checksum(span: Span, header: &[u8], position: usize, piece: &[u8]) -> u64 {
    let position = short(position).to_le_bytes();
    checksum(span, &[header, &position[..]].concat(), piece)
}

fn entry(position: u8, rest: &mut &[u8]) -> Option<Entry> {
    let start = *rest;
    let name = take_name(rest)?.to_owned();
    let [width] = take_array(rest)?;
    let count = u32::from_le_bytes(take_array(rest)?);
    let base = u64::from_le_bytes(take_array(rest)?);
    let header = start[..start.len() - rest.len()].to_vec();
    let data = match take_array(rest)? {
        [IN_PART] => None,
        [length] => Some(take(rest, length.into())?.to_vec()),
    };
    Some(Entry {
        position,
        header,
        name,
        width,
        count,
        base,
        data,
    })
}

/// The numbers in a column's data.
pub(crate) fn numbers<'d>(
    column: &'static str,
    entry: &Entry,
    data: &'d [u8],
) -> Result<Packed<'d>, ChunkError> {
    let packed = Packed::new(data, entry.count(), entry.base, entry.width);
    packed.ok_or(ChunkError::Size { column })
}

/// The texts in a column's data.
pub(crate) fn texts<'d>(
    column: &'static str,
    entry: &Entry,
    data: &'d [u8],
) -> Result<FrontCoded<'d>, ChunkError> {
    let texts = FrontCoded::new(data, entry.count());
    texts.ok_or(ChunkError::Size { column })
}

/// FNV-1a over words of eight bytes, in four lanes, because each step waits for the one before. A
/// step is a bijection of the state, so damage within one word is always noticed, and other damage
/// except with a chance of one in 2^64. It runs at memory speed; a table-driven CRC does not.
pub(crate) fn checksum(span: Span, header: &[u8], data: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(PRIME).rotate_left(29);

    let length = u64::try_from(data.len()).expect("a pointer's size fits 64 bits");
    let known = [
        u64::from(FORMAT),
        u64::from(span.rows),
        span.min_ts.cast_unsigned(),
        span.max_ts.cast_unsigned(),
        length,
    ];
    let header = header.iter().map(|&byte| u64::from(byte));
    let state = known.into_iter().chain(header).fold(START, step);
    let (words, end) = data.as_chunks();
    let (blocks, words) = words.as_chunks::<4>();
    let mut lanes = [START; 4];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block) {
            *lane = step(*lane, u64::from_le_bytes(*word));
        }
    }
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let end = end.iter().map(|&byte| u64::from(byte));
    lanes.into_iter().chain(words).chain(end).fold(state, step)
}

/// The number of a part.
pub(crate) fn part_id(chunk: i64, position: u8) -> i64 {
    chunk * 256 + i64::from(position)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::format::{packed::Number, selection::Selection, values::Values};

    const SPAN: Span = Span {
        rows: 1_000,
        min_ts: 1_767_225_600_000,
        max_ts: 1_767_225_700_000,
    };

    fn one(numbers: &[u64]) -> (Vec<u8>, Vec<(u8, Vec<u8>)>) {
        let mut encoder = Encoder::new(SPAN);
        encoder.numbers("visitor", numbers);
        encoder.finish()
    }

    /// Reads a column that [`one`] wrote.
    fn read<T: Number>(
        directory: &[u8],
        parts: &[(u8, Vec<u8>)],
        rows: &Selection,
    ) -> Result<Values<T>, ChunkError> {
        let directory = Directory::parse(SPAN, directory)?;
        let entry = directory.numbers("visitor").unwrap();
        let data = match (entry.here(), parts.first()) {
            (Some(data), _) => data,
            (None, Some((position, part))) => {
                assert_eq!(*position, entry.position);
                entry.data(SPAN, "visitor", part)?
            }
            (None, None) => return Err(ChunkError::Absent { column: "visitor" }),
        };
        let numbers = numbers("visitor", entry, data)?.read(rows);
        numbers.ok_or(ChunkError::Value { column: "visitor" })
    }

    #[rstest]
    #[case::no_rows(&[], 0)]
    #[case::one_value(&[7; 100], 0)]
    #[case::two_values(&[1_000_000, 1_000_001, 1_000_001], 1)]
    #[case::eight_bits(&[1_000_000, 1_000_255, 1_000_001], 8)]
    #[case::nine_bits(&[0, 256], 9)]
    #[case::thirty_two_bits(&[1, 4_294_967_296], 32)]
    #[case::fifty_six_bits(&[0, (1 << 56) - 1], 56)]
    #[case::more_are_stored_whole(&[0, 1 << 56], 64)]
    #[case::sixty_four_bits(&[u64::MAX, 0, 3], 64)]
    fn numbers_come_back_in_the_smallest_width(#[case] numbers: &[u64], #[case] width: u8) {
        let (directory, parts) = one(numbers);
        let entries = Directory::parse(SPAN, &directory).unwrap().entries;
        assert_eq!(entries[0].width, width);
        assert!(parts.is_empty(), "it is short enough for the directory");
        let expected = match (width, numbers.first()) {
            (0, first) => Values::Same(first.copied().unwrap_or(0)),
            _ => Values::Each(numbers.to_vec()),
        };
        assert_eq!(
            read::<u64>(&directory, &parts, &Selection::All),
            Ok(expected)
        );
    }

    #[test]
    fn a_long_column_is_a_part_and_some_of_its_rows_can_be_read() {
        let numbers: Vec<u64> = (0..1_000).map(|n| n * 7).collect();
        let (directory, parts) = one(&numbers);
        // 13 bits each, and the checksum.
        assert_eq!(parts[0].1.len(), 1_633);
        let rows = Selection::Rows(vec![1, 500]);
        let found = read::<u32>(&directory, &parts, &rows);
        assert_eq!(found, Ok(Values::Each(vec![7, 3_500])));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        for numbers in [vec![9; 4], vec![1, 2, 300], (0..300).collect()] {
            let (directory, parts) = one(&numbers);
            for position in 0..directory.len() {
                for bit in 0..8 {
                    let mut damaged = directory.clone();
                    damaged[position] ^= 1 << bit;
                    assert!(Directory::parse(SPAN, &damaged).is_err());
                }
            }
            for (column, part) in &parts {
                for position in 0..part.len() {
                    let mut damaged = part.clone();
                    damaged[position] ^= 1 << (position % 8);
                    let parts = [(*column, damaged)];
                    assert!(read::<u64>(&directory, &parts, &Selection::All).is_err());
                }
            }
        }
    }

    #[test]
    fn a_chunk_counts_only_with_its_own_span_and_parts() {
        let (directory, _) = one(&[3, 3, 3]);
        for other in [
            Span { rows: 999, ..SPAN },
            Span { min_ts: 0, ..SPAN },
            Span { max_ts: 0, ..SPAN },
        ] {
            let error = Directory::parse(other, &directory).unwrap_err();
            assert_eq!(error, ChunkError::DirectoryChecksum);
        }
        let (short, long): (Vec<u64>, Vec<u64>) = ((0..300).collect(), (0..301).collect());
        let (directory, _) = one(&short);
        let (_, parts) = one(&long);
        assert_eq!(
            read::<u64>(&directory, &parts, &Selection::All),
            Err(ChunkError::Checksum { column: "visitor" })
        );
    }

    #[test]
    fn a_number_too_large_for_its_column_is_refused() {
        for numbers in [&[1, 256][..], &[256]] {
            let (directory, parts) = one(numbers);
            assert_eq!(
                read::<u8>(&directory, &parts, &Selection::All),
                Err(ChunkError::Value { column: "visitor" })
            );
        }
    }

    #[test]
    fn a_column_longer_than_the_chunk_is_refused() {
        let (directory, _) = one(&[7; 1_001]);
        let error = Directory::parse(SPAN, &directory).unwrap_err();
        assert_eq!(error, ChunkError::Directory);
        let rows = ROWS_MAX + 1;
        let (directory, _) = Encoder::new(Span { rows, ..SPAN }).finish();
        let error = Directory::parse(Span { rows, ..SPAN }, &directory).unwrap_err();
        assert_eq!(error, ChunkError::Rows { rows });
    }

    #[test]
    fn texts_come_back() {
        let mut encoder = Encoder::new(SPAN);
        encoder.texts("ua", ["", "b", "ü"].into_iter());
        let (directory, _) = encoder.finish();
        let directory = Directory::parse(SPAN, &directory).unwrap();
        assert_eq!(directory.numbers("ua"), None);
        let entry = directory.texts("ua").unwrap();
        let data = entry.here().unwrap();
        let found = texts("ua", entry, data).unwrap().all().unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), ["", "b", "ü"]);
        let cut = texts("ua", entry, &data[..5]);
        assert!(matches!(cut, Err(ChunkError::Size { column: "ua" })));
    }
}
