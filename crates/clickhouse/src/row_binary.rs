//! The format `RowBinary`: values one after the other, without names or
//! separators, so that no value can be mistaken for another.
//!
//! Numbers are little-endian; a text follows its length in LEB128 (ClickHouse's
//! documentation of formats).

use slugline_analytics::{
    columns::{STORED, TEXTS, TextColumn},
    row::Row,
};
use slugline_domain::{Degrees, Dimension, UnixMillis};
use thiserror::Error;

use crate::sql;

/// The column of the moment at which a row was imported.
pub(crate) const IMPORTED_MS: &str = "imported_ms";

/// The columns of a row, in the order of their values.
pub(crate) fn columns() -> String {
    let texts = TEXTS[..STORED].iter().map(TextColumn::public_name);
    let all = [sql::NUMBERS, IMPORTED_MS].into_iter().chain(texts);
    all.collect::<Vec<_>>().join(", ")
}

/// A row, ready to be sent.
pub(crate) fn encode(row: &Row<'_>) -> Vec<u8> {
    encode_imported(row, UnixMillis::new(0))
}

/// A row that is imported at a moment.
pub(crate) fn encode_imported(row: &Row<'_>, at: UnixMillis) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    bytes.extend_from_slice(&row.at.get().to_le_bytes());
    put_text(&mut bytes, row.target.link_id);
    bytes.extend_from_slice(&row.visitor.0.to_le_bytes());
    bytes.extend_from_slice(&row.sampled.interval.get().to_le_bytes());
    bytes.push(row.sampled.coherent.into());
    bytes.extend_from_slice(&at.get().to_le_bytes());
    for text in &TEXTS[..STORED] {
        if text.dimension == Dimension::Latitude {
            put_degrees(&mut bytes, row.place.latitude);
        } else if text.dimension == Dimension::Longitude {
            put_degrees(&mut bytes, row.place.longitude);
        } else {
            put_text(&mut bytes, &row.text(text.dimension));
        }
    }
    bytes
}

/// Checks that bytes are a row, and returns its moment. ClickHouse refuses a whole shipment with one
/// malformed row.
pub(crate) fn check(row: &[u8]) -> Result<UnixMillis, DecodeError> {
    let mut cursor = Cursor::new(row);
    let mut at = None;
    let mut in_range = true;
    for column in columns().split(", ") {
        match column {
            "ts_ms" => at = Some(UnixMillis::new(cursor.i64()?)),
            "visitor" => {
                cursor.u64()?;
            }
            IMPORTED_MS => {
                cursor.i64()?;
            }
            "sampling_interval" => in_range &= cursor.u32()? > 0,
            "coherent" => {
                let [coherent] = cursor.take()?;
                in_range &= coherent <= 1;
            }
            "latitude" | "longitude" => {
                cursor.degrees()?;
            }
            _ => {
                cursor.text()?;
            }
        }
    }
    in_range &= cursor.left() == 0;
    at.filter(|_| in_range).ok_or(DecodeError::OutOfRange)
}

/// A `Decimal(5, 2)` is stored as hundredths.
fn put_degrees(bytes: &mut Vec<u8>, degrees: Degrees) {
    bytes.extend_from_slice(&degrees.hundredths().to_le_bytes());
}

pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_bytes(bytes, text.as_bytes());
}

pub(crate) fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    put_length(bytes, value.len());
    bytes.extend_from_slice(value);
}

/// The length of a text.
fn put_length(bytes: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        bytes.push(u8::try_from(length & 0x7f).expect("seven bits fit") | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).expect("seven bits fit"));
}

/// Bytes that rows are read from.
#[derive(Debug)]
pub(crate) struct Cursor<'b> {
    bytes: &'b [u8],
}

impl<'b> Cursor<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Reads rows until the next one is incomplete.
    pub(crate) fn rows<T>(&mut self, read: ReadRow<T>) -> Result<Vec<T>, DecodeError> {
        let mut rows = Vec::new();
        while !self.bytes.is_empty() {
            let before = self.bytes;
            match read(self) {
                Ok(row) => rows.push(row),
                Err(DecodeError::Short) => {
                    self.bytes = before;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(rows)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, DecodeError> {
        self.take().map(u8::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, DecodeError> {
        self.take().map(u64::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.take().map(u32::from_le_bytes)
    }

    pub(crate) fn i64(&mut self) -> Result<i64, DecodeError> {
        self.take().map(i64::from_le_bytes)
    }

    pub(crate) fn degrees(&mut self) -> Result<Degrees, DecodeError> {
        let hundredths = i32::from_le_bytes(self.take()?);
        Ok(Degrees::nearest(f64::from(hundredths) / 100.0))
    }

    pub(crate) fn text(&mut self) -> Result<String, DecodeError> {
        let bytes = self.bytes()?.to_vec();
        String::from_utf8(bytes).map_err(|_| DecodeError::NotText)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'b [u8], DecodeError> {
        let length = self.length()?;
        let (bytes, rest) = self
            .bytes
            .split_at_checked(length)
            .ok_or(DecodeError::Short)?;
        self.bytes = rest;
        Ok(bytes)
    }

    fn length(&mut self) -> Result<usize, DecodeError> {
        let mut length = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let [byte] = self.take()?;
            length |= usize::from(byte & 0x7f)
                .checked_shl(shift)
                .ok_or(DecodeError::NotText)?;
            if byte & 0x80 == 0 {
                return Ok(length);
            }
        }
        Err(DecodeError::NotText)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (bytes, rest) = self.bytes.split_first_chunk().ok_or(DecodeError::Short)?;
        self.bytes = rest;
        Ok(*bytes)
    }
}

/// Reads a row that is one number.
pub(crate) fn number(row: &mut Cursor<'_>) -> Result<u64, DecodeError> {
    row.u64()
}

/// Reads a row that is one text.
pub(crate) fn text(row: &mut Cursor<'_>) -> Result<String, DecodeError> {
    row.text()
}

/// Reads one row of an answer.
pub(crate) type ReadRow<T> = fn(&mut Cursor<'_>) -> Result<T, DecodeError>;

/// The bytes are not a valid row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The row ends too early.
    #[error("it ends within a row")]
    Short,
    /// A text has an impossible length or is not UTF-8.
    #[error("a text in it is no text")]
    NotText,
    /// A number is out of range, or there is more than one row.
    #[error("a number in it is out of range")]
    OutOfRange,
}

#[cfg(test)]
mod tests {
    use slugline_analytics::row::{Client, Place, VisitedLink};

    use super::*;
    use crate::tests::rows::row;

    #[test]
    fn texts_of_all_lengths_come_back() {
        let texts = [
            "",
            "a",
            "ü🦀",
            &"x".repeat(127),
            &"x".repeat(128),
            &"y".repeat(20_000),
        ];
        let mut bytes = Vec::new();
        for text in texts {
            put_text(&mut bytes, text);
        }
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(cursor.rows(text), Ok(texts.map(str::to_owned).to_vec()));
        assert_eq!(cursor.left(), 0);
    }

    #[test]
    fn a_row_that_is_not_whole_yet_is_left_for_later() {
        let read: ReadRow<(u32, String)> = |cursor| Ok((cursor.u32()?, cursor.text()?));
        let mut bytes = Vec::new();
        for (number, text) in [(7_u32, "seven"), (8, "eight")] {
            bytes.extend_from_slice(&number.to_le_bytes());
            put_text(&mut bytes, text);
        }
        for end in 0..bytes.len() {
            let mut cursor = Cursor::new(&bytes[..end]);
            let rows = cursor.rows(read).unwrap();
            assert_eq!(rows.len(), usize::from(end >= 10));
            assert_eq!(cursor.left(), if end >= 10 { end - 10 } else { end });
        }
    }

    #[test]
    fn a_row_is_told_from_what_is_none() {
        let row = Row {
            target: VisitedLink {
                link_id: "docs-1",
                slug: "docs",
                url: "https://example.com/",
                protection: "password",
            },
            client: Client {
                user_agent: "ü🦀",
                ..Client::default()
            },
            place: Place {
                latitude: Degrees::nearest(-48.21),
                ..Place::default()
            },
            referer: "r".repeat(200).into(),
            language: "de",
            ..row(-5, u64::MAX)
        };
        let bytes = encode(&row);
        assert_eq!(check(&bytes), Ok(row.at));
        for end in 0..bytes.len() {
            assert_eq!(check(&bytes[..end]), Err(DecodeError::Short));
        }
        assert!(check(&[&bytes[..], &[0]].concat()).is_err());
        assert!(check(&[&bytes[..], &bytes].concat()).is_err());
        let mut wrong = bytes;
        wrong[9] = 0xff;
        assert_eq!(check(&wrong), Err(DecodeError::NotText));
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(
            Cursor::new(&[1, 0xff]).rows(text),
            Err(DecodeError::NotText)
        );
        assert_eq!(
            Cursor::new(&[0xff; 11]).rows(text),
            Err(DecodeError::NotText)
        );
    }
}
