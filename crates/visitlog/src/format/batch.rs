//! The batch format, for rows of the tail that arrived together.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 8 | checksum of the rest and of the batch's span |
//! | | numbers of each row: milliseconds since the first moment, link, visitor, sampling interval, and 1 if the row is coherent |
//! | | then for each family of columns with any known value: |
//! | 1, n | length of its name, name |
//! | 4 | length of the rest |
//! | 1 | number of columns; for each the length of its name, and the name |
//! | 1–3 | number of entries |
//! | | for each entry and each column: length of the text, text |
//! | | the entry of each row |
//!
//! A list of numbers has a byte for the width, eight bytes for the smallest number, and each number
//! minus that one ([`packed`]). A column that a batch does not have is unknown in all its rows.

use slugline_analytics::columns::{Family, TEXTS};
use thiserror::Error;

use super::{
    block::{Numbers, RowTexts},
    block_builder::BlockBuilder,
    bytes::{put_length, put_name, take, take_array, take_length, take_name},
    chunk::{Span, checksum},
    front_coded::TEXT_MAX,
    packed::{self, Number, Packed},
    selection::{Selection, index, short},
    values::Values,
};

/// The most rows.
pub(crate) const ROWS_MAX: usize = 1 << 20;

/// The reason why a batch cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum BatchError {
    #[error("its checksum does not match")]
    Checksum,
    #[error("it holds what is no row")]
    Content,
}

/// Writes the rows of a builder, which are [`ROWS_MAX`] at most.
pub(crate) fn encode(draft: &BlockBuilder) -> (Span, Vec<u8>) {
    let times = || draft.rows.iter().map(|(numbers, _)| numbers.time);
    let (min_ts, max_ts) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    let mut bytes = vec![0; 8];
    let numbers: [fn(&Numbers, i64) -> u64; 5] = [
        |row, first| row.time.abs_diff(first),
        |row, _| row.link.cast_unsigned(),
        |row, _| row.visitor,
        |row, _| row.interval.into(),
        |row, _| row.coherent.into(),
    ];
    for of in numbers {
        let numbers = draft.rows.iter().map(|(row, _)| of(row, min_ts));
        put_numbers(&mut bytes, &numbers.collect::<Vec<u64>>());
    }
    for family in Family::STORED {
        put_family(&mut bytes, draft, family);
    }
    let span = Span {
        rows: short(draft.len()),
        min_ts,
        max_ts,
    };
    seal(span, &mut bytes);
    (span, bytes)
}

/// Writes the checksum of a batch into it.
pub(crate) fn seal(span: Span, bytes: &mut [u8]) {
    if let Some((sum, rest)) = bytes.split_first_chunk_mut() {
        *sum = checksum(span, &[], rest).to_le_bytes();
    }
}

fn put_numbers(bytes: &mut Vec<u8>, numbers: &[u64]) {
    let base = numbers.iter().min().copied().unwrap_or(0);
    let width = packed::width(numbers.iter().max().copied().unwrap_or(0) - base);
    bytes.push(width);
    bytes.extend(base.to_le_bytes());
    bytes.extend(packed::pack(numbers, base, width));
}

fn put_family(bytes: &mut Vec<u8>, draft: &BlockBuilder, family: Family) {
    let entries = draft.entries(family);
    let (used, codes) = entries_of_rows(draft, family);
    let columns = family.columns();
    let unknown = || columns.iter().map(|&column| TEXTS[column].unknown);
    if used.iter().all(|&entry| entries.texts(entry).eq(unknown())) {
        return;
    }
    put_name(bytes, family.name());
    let start = bytes.len();
    bytes.extend([0; 4]);
    bytes.push(u8::try_from(columns.len()).expect("there are few columns"));
    for &column in columns {
        put_name(bytes, TEXTS[column].name);
    }
    put_length(bytes, used.len());
    for text in used.into_iter().flat_map(|entry| entries.texts(entry)) {
        put_length(bytes, text.len());
        bytes.extend(text.as_bytes());
    }
    put_numbers(bytes, &codes);
    let length = short(bytes.len() - start - 4);
    bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// The entries of a family that occur in the rows, and the index of each row's entry among them. A
/// builder of a part of a batch also has the entries of the other rows, so there can be more
/// entries than rows.
fn entries_of_rows(draft: &BlockBuilder, family: Family) -> (Vec<u32>, Vec<u64>) {
    let mut positions = vec![None; draft.entries(family).len()];
    let (mut used, mut next) = (Vec::new(), 0);
    let codes = draft.rows.iter().map(|(_, codes)| {
        let entry = codes[family.index()];
        *positions[index(entry)].get_or_insert_with(|| {
            used.push(entry);
            next += 1;
            next - 1
        })
    });
    let codes = codes.collect();
    (used, codes)
}

/// Adds the rows of a range of moments to a builder, with the texts that it asks for. After an
/// error the builder has no more rows than before.
pub(crate) fn decode(
    span: Span,
    bytes: &[u8],
    range: (i64, i64),
    draft: &mut BlockBuilder,
) -> Result<(), BatchError> {
    let mut rest = bytes;
    let sum = take_array(&mut rest).ok_or(BatchError::Checksum)?;
    if checksum(span, &[], rest) != u64::from_le_bytes(sum) {
        return Err(BatchError::Checksum);
    }
    let before = draft.len();
    let added = add_rows(span, rest, range, draft);
    if added.is_none() {
        draft.rows.truncate(before);
    }
    added.ok_or(BatchError::Content)
}

fn add_rows(
    span: Span,
    mut rest: &[u8],
    (from, until): (i64, i64),
    draft: &mut BlockBuilder,
) -> Option<()> {
    if span.rows == 0 || index(span.rows) > ROWS_MAX {
        return None;
    }
    let times: Values<u64> = take_numbers(&mut rest, span)?;
    let links: Values<u64> = take_numbers(&mut rest, span)?;
    let visitors: Values<u64> = take_numbers(&mut rest, span)?;
    let intervals: Values<u32> = take_numbers(&mut rest, span)?;
    let coherent: Values<u8> = take_numbers(&mut rest, span)?;
    let mut codes = [const { None }; Family::STORED.len()];
    while !rest.is_empty() {
        let name = take_name(&mut rest)?;
        let length = u32::from_le_bytes(take_array(&mut rest)?);
        let content = take(&mut rest, index(length))?;
        let family = Family::STORED
            .into_iter()
            .find(|family| family.name() == name);
        if let Some(family) = family
            && !draft.leaves_out(family)
        {
            let found = take_family(family, content, span, draft)?;
            if codes[family.index()].replace(found).is_some() {
                return None;
            }
        }
    }
    let codes = Family::STORED.map(|family| {
        let found = codes[family.index()].take();
        found.unwrap_or_else(|| Values::Same(draft.code(family, &RowTexts::UNKNOWN)))
    });
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    for row in 0..index(span.rows) {
        let time = span.min_ts.checked_add_unsigned(times.at(row))?;
        (first, last) = (first.min(time), last.max(time));
        if coherent.at(row) > 1 {
            return None;
        }
        if time < from || time > until {
            continue;
        }
        let numbers = Numbers {
            time,
            link: links.at(row).cast_signed(),
            visitor: visitors.at(row),
            interval: intervals.at(row),
            coherent: coherent.at(row) == 1,
        };
        let codes = codes.each_ref().map(|codes| codes.at(row));
        draft.rows.push((numbers, codes));
    }
    ((first, last) == (span.min_ts, span.max_ts)).then_some(())
}

/// Adds the entries of a family to a builder, and returns each row's entry.
fn take_family(
    family: Family,
    mut content: &[u8],
    span: Span,
    draft: &mut BlockBuilder,
) -> Option<Values<u32>> {
    let [count] = take_array(&mut content)?;
    let mut columns = Vec::with_capacity(count.into());
    for _ in 0..count {
        let name = take_name(&mut content)?;
        let known = family.columns().iter().copied();
        columns.push(known.clone().find(|&column| TEXTS[column].name == name));
    }
    let count = take_length(&mut content)?;
    // Each entry is in some row.
    if count > index(span.rows) {
        return None;
    }
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        let mut texts = RowTexts::UNKNOWN;
        for column in &columns {
            let length = take_length(&mut content).filter(|&length| length <= TEXT_MAX)?;
            let text = std::str::from_utf8(take(&mut content, length)?).ok()?;
            if let Some(column) = *column {
                texts.0[column] = text;
            }
        }
        entries.push(draft.code(family, &texts));
    }
    let entry = |code: u32| entries.get(index(code)).copied();
    let codes = match take_numbers(&mut content, span)? {
        Values::Same(code) => Values::Same(entry(code)?),
        Values::Each(codes) => {
            let codes = codes.into_iter().map(entry);
            Values::Each(codes.collect::<Option<Vec<u32>>>()?)
        }
    };
    content.is_empty().then_some(codes)
}

/// Reads a number for each row.
fn take_numbers<T: Number>(bytes: &mut &[u8], span: Span) -> Option<Values<T>> {
    let [width] = take_array(bytes)?;
    let base = u64::from_le_bytes(take_array(bytes)?);
    let count = index(span.rows);
    let data = take(bytes, packed::length(count, width)?)?;
    Packed::new(data, count, base, width)?.read(&Selection::All)
}
