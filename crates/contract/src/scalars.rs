//! Numbers, flags and moments, as clients write them.

use std::borrow::Cow;

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use slugline_domain::{TimeError, UnixMillis, UnixSeconds};

use crate::{
    issue::{Explain, Fault, IssueCode},
    sent::Wire,
};

/// Types whose schemas stand where they are used.
macro_rules! inline_schemas {
    ($($type:ty, $name:literal, $schema:tt;)*) => {$(
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

inline_schemas! {
    JsonInteger, "JsonInteger", {"type": "integer"};
    IntOrString, "Integer", {"type": "integer"};
    BoolOrString, "BoolOrString", {"type": "boolean"};
    Instant, "Instant", {
        "type": ["integer", "string"], "minimum": UnixSeconds::MIN, "maximum": UnixSeconds::MAX,
    };
    UnixTime, "UnixTime", {"type": ["integer", "string"]};
}

/// A whole number, also when it is spelled `5.0`: JSON Schema counts that as an integer,
/// too (2020-12 core, section 4.2.2), and programs that only have floating point send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonInteger(pub i64);

/// Returns the integer that equals this floating-point number, if there is one and it is
/// small enough to be exact.
fn exact(number: f64) -> Option<i64> {
    /// From here on neighbouring integers share a spelling.
    const UNSURE: f64 = 9_007_199_254_740_992.0;
    let whole = number.abs() < UNSURE && number.fract() == 0.0;
    // Rust has no other conversion; in this range every whole number is an i64.
    whole.then(|| format!("{number:.0}").parse().ok()).flatten()
}

impl Wire for JsonInteger {
    const TYPE: &'static str = "integer";

    fn from_json(value: Value) -> Option<Self> {
        let number = value.as_i64();
        number.or_else(|| value.as_f64().and_then(exact)).map(Self)
    }
}

/// A whole number, or a text that spells one: query strings hold only text, and models
/// often quote numbers. An empty text is 0, as in Sink, and then fails the member's
/// minimum, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntOrString(pub i64);

impl Wire for IntOrString {
    const TYPE: &'static str = "integer";

    fn from_json(value: Value) -> Option<Self> {
        let Value::String(text) = &value else {
            return JsonInteger::from_json(value).map(|JsonInteger(number)| Self(number));
        };
        match text.trim() {
            "" => Some(Self(0)),
            digits => digits.parse().ok().map(Self),
        }
    }
}

/// `true` or `false`, or a text that spells it, since query strings hold only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoolOrString(pub bool);

impl From<BoolOrString> for bool {
    fn from(BoolOrString(flag): BoolOrString) -> Self {
        flag
    }
}

impl Wire for BoolOrString {
    const TYPE: &'static str = "boolean";

    fn from_json(value: Value) -> Option<Self> {
        let spelled = value.as_str().and_then(|text| text.trim().parse().ok());
        value.as_bool().or(spelled).map(Self)
    }
}

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
fn usual(second: i64) -> Result<UnixSeconds, MomentError> {
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

impl Explain for MomentError {
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

    fn expected() -> String {
        "Unix seconds, or a text such as 2027-01-01T12:00:00Z".to_owned()
    }
}

fn second_of(text: &str) -> Option<i64> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_second());
    }
    start_of_day(text)
}

/// The first second in UTC of a date alone. One with a time but no offset is ambiguous.
fn start_of_day(text: &str) -> Option<i64> {
    let text = text.trim();
    let is_date = text.len() == "2027-01-01".len();
    let date = is_date.then(|| text.parse::<Date>().ok()).flatten()?;
    let start = date.to_zoned_datetime(TimeZone::UTC).ok()?;
    Some(start.timestamp().as_second())
}

/// An end of a range: a text that spells Unix seconds, or an [`Instant`]. An empty text is 0. A date
/// alone means its day, so a range that ends with it holds the whole day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnixTime {
    first: i64,
    last: i64,
}

impl UnixTime {
    /// Returns whether this is 0, which is no bound.
    pub(crate) fn is_zero(self) -> bool {
        self.last == 0
    }

    /// Returns the first second, for the start of a range.
    ///
    /// # Errors
    /// The moment was probably meant in milliseconds, or is outside the supported range.
    pub(crate) fn first(&self) -> Result<UnixSeconds, MomentError> {
        usual(self.first)
    }

    /// Returns the last second, for the end of a range.
    ///
    /// # Errors
    /// As for [`Self::first`].
    pub(crate) fn last(&self) -> Result<UnixSeconds, MomentError> {
        usual(self.last)
    }
}

impl Wire for UnixTime {
    const TYPE: &'static str = IntOrString::TYPE;

    fn from_json(value: Value) -> Option<Self> {
        let date = value.as_str().and_then(start_of_day);
        let spelled = || IntOrString::from_json(value.clone()).map(|IntOrString(second)| second);
        let moment = || Instant::from_json(value.clone()).map(|Instant(second)| second);
        let first = date.or_else(spelled).or_else(moment)?;
        let last = if date.is_some() {
            first + 86_399
        } else {
            first
        };
        Some(Self { first, last })
    }

    fn expected() -> String {
        Instant::expected()
    }
}

/// ISO 8601 in UTC with milliseconds.
pub fn iso_8601(moment: UnixMillis) -> String {
    // Four-digit years end before the domain's moments do.
    let moment = Timestamp::from_millisecond(moment.get()).unwrap_or(Timestamp::MAX);
    format!("{moment:.3}")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[test]
    fn takes_whole_numbers_however_they_are_spelled() {
        for value in [json!(50), json!(50.0), json!(5e1)] {
            assert_eq!(JsonInteger::from_json(value), Some(JsonInteger(50)));
        }
        assert_eq!(JsonInteger::from_json(json!(-0.0)), Some(JsonInteger(0)));
        for wrong in [
            json!(1.5),
            json!(1e300),
            json!("50"),
            json!(null),
            json!(u64::MAX),
        ] {
            assert!(JsonInteger::from_json(wrong.clone()).is_none(), "{wrong}");
        }
    }

    #[test]
    fn takes_numbers_and_their_spelling() {
        for value in [json!(50), json!(50.0), json!("50"), json!(" 50 ")] {
            assert_eq!(IntOrString::from_json(value), Some(IntOrString(50)));
        }
        assert_eq!(IntOrString::from_json(json!("")), Some(IntOrString(0)));
        for wrong in [
            json!("5x"),
            json!(1.5),
            json!(null),
            json!(true),
            json!(u64::MAX),
        ] {
            assert!(IntOrString::from_json(wrong.clone()).is_none(), "{wrong}");
        }
    }

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

    #[test]
    fn milliseconds_of_the_past_are_not_taken_for_seconds() {
        let moment = UnixTime::from_json(json!("1795413519000")).unwrap();
        let (_, message, expected) = moment.first().unwrap_err().explain();
        assert!(message.contains("milliseconds"), "{message}");
        assert_eq!(expected, "Unix seconds, such as 1795413519");
    }

    #[rstest]
    #[case(json!(1_798_761_600), 1_798_761_600, 1_798_761_600)]
    #[case(json!(" 1798761600 "), 1_798_761_600, 1_798_761_600)]
    #[case(json!("2027-01-01T00:00:00Z"), 1_798_761_600, 1_798_761_600)]
    #[case(json!("2027-01-01"), 1_798_761_600, 1_798_847_999)]
    #[case(json!(-5), -5, -5)]
    #[case(json!(""), 0, 0)]
    fn a_range_has_moments_and_whole_days(#[case] sent: Value, #[case] from: i64, #[case] to: i64) {
        let sent = UnixTime::from_json(sent).unwrap();
        assert_eq!(sent.first().unwrap().get(), from);
        assert_eq!(sent.last().unwrap().get(), to);
        assert_eq!(sent.is_zero(), (from, to) == (0, 0));
    }
}
