//! Moments as clients send them.

use std::borrow::Cow;

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use slugline_domain::{TimeError, UnixSeconds};

use crate::{
    issue::IssueCode,
    json_integer::JsonInteger,
    sent::{Fault, Wire},
};

/// A moment: Unix seconds, or a text of RFC 3339 such as 2027-01-01T12:00:00Z. A date
/// alone means its first second in UTC, as in spreadsheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant(i64);

impl Instant {
    /// Returns the second.
    ///
    /// # Errors
    /// The moment is outside the supported range.
    pub(crate) fn second(self) -> Result<UnixSeconds, TimeError> {
        UnixSeconds::new(self.0)
    }

    /// Returns the second of a planned moment.
    ///
    /// # Errors
    /// The moment was probably meant in milliseconds, or is outside the supported range.
    pub(crate) fn planned(self) -> Result<UnixSeconds, MomentError> {
        usual(self.0)
    }
}

/// The last second of the year 9999.
const LAST_OF_9999: i64 = 253_402_300_799;

/// Returns the second, unless it is beyond the year 9999: then it was probably meant in
/// milliseconds.
pub(crate) fn usual(second: i64) -> Result<UnixSeconds, MomentError> {
    if second > LAST_OF_9999 {
        return Err(MomentError::TooLate(second));
    }
    UnixSeconds::new(second).map_err(MomentError::Range)
}

/// The reason why a number is no moment that people mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MomentError {
    /// The moment is after the year 9999.
    TooLate(i64),
    /// The moment is outside the supported range.
    Range(TimeError),
}

impl crate::issue::Explain for MomentError {
    fn explain(&self) -> Fault {
        match self {
            Self::TooLate(second) => (
                IssueCode::TooBig,
                format!("{second} is after the year 9999; are these milliseconds?"),
                format!("Unix seconds, such as {}", second / 1000),
            ),
            Self::Range(error) => error.explain(),
        }
    }
}

impl Wire for Instant {
    const TYPE: &'static str = "integer";

    fn from_json(value: Value) -> Option<Self> {
        if let Value::String(text) = &value {
            return second_of(text.trim()).map(Self);
        }
        JsonInteger::from_json(value).map(|JsonInteger(second)| Self(second))
    }

    fn fault(received: &str) -> Fault {
        let expected = "Unix seconds, or a text such as 2027-01-01T12:00:00Z";
        let message = format!("Invalid input: expected {expected}, received {received}");
        (IssueCode::InvalidType, message, expected.to_owned())
    }
}

fn second_of(text: &str) -> Option<i64> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_second());
    }
    // A date with a time but no offset is ambiguous.
    let is_date = text.len() == "2027-01-01".len();
    let date = is_date.then(|| text.parse::<Date>().ok()).flatten()?;
    let start = date.to_zoned(TimeZone::UTC).ok()?;
    Some(start.timestamp().as_second())
}

impl JsonSchema for Instant {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Instant".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["integer", "string"]})
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::issue::Explain;

    #[rstest]
    #[case(json!(1_800_000_000), Some(1_800_000_000))]
    #[case(json!(5.0), Some(5))]
    #[case(json!("2027-01-15T08:00:00Z"), Some(1_800_000_000))]
    #[case(json!("2027-01-15T09:00:00.9+01:00"), Some(1_800_000_000))]
    #[case(json!(" 2027-01-15 "), Some(1_799_971_200))]
    #[case(json!("2027-01-15T08:00:00"), None)]
    #[case(json!("1800000000"), None)]
    #[case(json!("soon"), None)]
    #[case(json!("2027-13-01"), None)]
    #[case(json!(1.5), None)]
    #[case(json!(null), None)]
    fn moments_are_numbers_or_texts(#[case] sent: Value, #[case] second: Option<i64>) {
        let read = Instant::from_json(sent).map(|Instant(second)| second);
        assert_eq!(read, second);
    }

    #[test]
    fn milliseconds_are_not_taken_for_seconds() {
        let error = Instant(1_893_456_000_000).planned().unwrap_err();
        let (_, message, expected) = error.explain();
        assert!(message.contains("milliseconds"), "{message}");
        assert_eq!(expected, "Unix seconds, such as 1893456000");
        assert!(Instant(LAST_OF_9999).planned().is_ok());
    }
}
