//! The format `RowBinary`: values one after the other, without names or
//! separators, so that no value can be mistaken for another.
//!
//! Numbers are little-endian; a text follows its length in LEB128 (ClickHouse's
//! documentation of formats).

use slugline_domain::{Degrees, UnixMillis};
use thiserror::Error;

use crate::row::Row;

/// The columns of each format of rows, in the order of their values. The number
/// of a format is its position, starting with 1. Rows wait in a spool across
/// updates, so a released format never changes: other columns need a new format
/// and a new version of the spool, which older programs refuse.
const FORMATS: [&str; 1] = ["ts_ms, link_id, slug, url, user_agent, visitor, referer, \
    country, region, city, timezone, language, os, browser, browser_type, device, device_type, \
    colo, latitude, longitude, sampling_interval, coherent"];

/// The format that [`encode`] writes.
pub(super) const FORMAT: u32 = 1;

/// The columns of a format.
pub(super) fn columns(format: u32) -> Option<&'static str> {
    let place = usize::try_from(format).ok()?.checked_sub(1)?;
    FORMATS.get(place).copied()
}

/// A row, ready to be sent.
pub(super) fn encode(row: &Row<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    bytes.extend_from_slice(&row.at.get().to_le_bytes());
    for text in [
        row.target.link_id,
        row.target.slug,
        row.target.url,
        row.client.user_agent,
    ] {
        put_text(&mut bytes, text);
    }
    bytes.extend_from_slice(&row.visitor.0.to_le_bytes());
    for text in [
        row.referer.as_ref(),
        row.place.country,
        row.place.region,
        row.place.city,
        row.place.timezone,
        row.language,
        row.client.os,
        row.client.browser,
        row.client.browser_type,
        row.client.device,
        row.client.device_type,
        row.place.colo,
    ] {
        put_text(&mut bytes, text);
    }
    // A `Decimal(5, 2)` is stored as hundredths.
    for degrees in [row.place.latitude, row.place.longitude] {
        bytes.extend_from_slice(&degrees.hundredths().to_le_bytes());
    }
    bytes.extend_from_slice(&row.sampled.interval.get().to_le_bytes());
    bytes.push(row.sampled.coherent.into());
    bytes
}

/// Checks that bytes are a row as [`encode`] writes it, and returns its moment.
/// ClickHouse refuses a whole shipment with one malformed row.
pub(super) fn check(row: &[u8]) -> Result<UnixMillis, DecodeError> {
    let mut cursor = Cursor::new(row);
    let at = UnixMillis::new(cursor.i64()?);
    for _ in 0..4 {
        cursor.text()?;
    }
    cursor.u64()?;
    for _ in 0..12 {
        cursor.text()?;
    }
    cursor.degrees()?;
    cursor.degrees()?;
    let interval = cursor.u32()?;
    let [coherent] = cursor.take()?;
    let in_range = interval > 0 && coherent <= 1 && cursor.left() == 0;
    in_range.then_some(at).ok_or(DecodeError::OutOfRange)
}

pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_bytes(bytes, text.as_bytes());
}

pub(super) fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    let mut length = value.len();
    while length >= 0x80 {
        bytes.push(u8::try_from(length & 0x7f).expect("seven bits fit") | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).expect("seven bits fit"));
    bytes.extend_from_slice(value);
}

/// Bytes that rows are read from.
#[derive(Debug)]
pub(super) struct Cursor<'b> {
    rest: &'b [u8],
}

impl<'b> Cursor<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// Reads rows until the next one is incomplete.
    pub(super) fn rows<T>(&mut self, read: ReadRow<T>) -> Result<Vec<T>, DecodeError> {
        let mut rows = Vec::new();
        while !self.rest.is_empty() {
            let before = self.rest;
            match read(self) {
                Ok(row) => rows.push(row),
                Err(DecodeError::Short) => {
                    self.rest = before;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(rows)
    }

    pub(super) fn u8(&mut self) -> Result<u8, DecodeError> {
        self.take().map(u8::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, DecodeError> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, DecodeError> {
        self.take().map(i64::from_le_bytes)
    }

    pub(super) fn degrees(&mut self) -> Result<Degrees, DecodeError> {
        let hundredths = i32::from_le_bytes(self.take()?);
        Ok(Degrees::nearest(f64::from(hundredths) / 100.0))
    }

    pub(super) fn text(&mut self) -> Result<String, DecodeError> {
        let bytes = self.bytes()?.to_vec();
        String::from_utf8(bytes).map_err(|_| DecodeError::NotText)
    }

    pub(super) fn bytes(&mut self) -> Result<&'b [u8], DecodeError> {
        let length = self.length()?;
        let (bytes, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(DecodeError::Short)?;
        self.rest = rest;
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
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(DecodeError::Short)?;
        self.rest = rest;
        Ok(*bytes)
    }
}

/// Reads a row that is one number.
pub(super) fn number(row: &mut Cursor<'_>) -> Result<u64, DecodeError> {
    row.u64()
}

/// Reads one row of an answer.
pub(super) type ReadRow<T> = fn(&mut Cursor<'_>) -> Result<T, DecodeError>;

/// The bytes are not a valid row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The row ends too early.
    #[error("it ends within a row")]
    Short,
    /// A text has an impossible length or is not UTF-8.
    #[error("a text in it is no text")]
    NotText,
    /// A number is outside what it can be, or there is more than one row.
    #[error("a number in it is out of range")]
    OutOfRange,
}

#[cfg(test)]
mod tests {
    use slugline_domain::{SamplingInterval, UnixMillis};

    use super::*;
    use crate::{
        row::{Client, Place, Target},
        sampling::Sampled,
        visitor::VisitorHash,
    };

    fn text(row: &mut Cursor<'_>) -> Result<String, DecodeError> {
        row.text()
    }

    #[test]
    fn formats_that_were_released_stay() {
        assert_eq!(
            columns(1),
            Some(
                "ts_ms, link_id, slug, url, user_agent, visitor, referer, country, region, city, \
                 timezone, language, os, browser, browser_type, device, device_type, colo, \
                 latitude, longitude, sampling_interval, coherent"
            )
        );
        assert_eq!(columns(0), None);
        assert_eq!(columns(FORMAT + 1), None);
    }

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
            at: UnixMillis::new(-5),
            target: Target {
                link_id: "docs-1",
                slug: "docs",
                url: "https://example.com/",
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
            visitor: VisitorHash(u64::MAX),
            sampled: Sampled {
                interval: SamplingInterval::EVERY,
                coherent: true,
            },
        };
        let bytes = encode(&row);
        assert_eq!(check(&bytes), Ok(row.at));
        for end in 0..bytes.len() {
            assert_eq!(check(&bytes[..end]), Err(DecodeError::Short));
        }
        assert!(check(&[&bytes[..], &[0]].concat()).is_err());
        assert!(check(&[&bytes[..], &bytes].concat()).is_err());
        let mut wrong = bytes.clone();
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
