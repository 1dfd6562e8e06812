//! Moments as other products write them.

use jiff::{Timestamp, civil, tz::TimeZone};
use serde_json::Value;

/// Reads a number of seconds or milliseconds, or a text; one without an offset is in `zone`. Returns seconds,
/// null for a text that stands for no moment, such as 0000-00-00, and `None` for what cannot be read.
pub(super) fn moment(value: &Value, zone: &TimeZone) -> Option<Value> {
    /// From here on a number counts milliseconds: as seconds it would be after the year 5000.
    const MILLISECONDS: u64 = 100_000_000_000;
    let text = value.as_str().unwrap_or_default().trim();
    if let Some(number) = value.as_i64().or_else(|| text.parse().ok()) {
        let is_millis = number.unsigned_abs() >= MILLISECONDS;
        let in_second = if is_millis { 1000 } else { 1 };
        return Some(number.div_euclid(in_second).into());
    }
    // MySQL keeps dates without a year, a month or a day.
    let date = text.get(..10).unwrap_or_default();
    if date.starts_with("0000") || date.get(4..).is_some_and(|rest| rest.contains("-00")) {
        return Some(Value::Null);
    }
    let local = || {
        let date = |_| text.parse::<civil::Date>().map(|date| date.at(0, 0, 0, 0));
        zone.to_timestamp(text.parse::<civil::DateTime>().or_else(date)?)
    };
    let moment = text.parse::<Timestamp>().or_else(|_| local());
    moment.ok().map(|moment| moment.as_second().into())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(json!(1_700_000_000), Some(json!(1_700_000_000)))]
    #[case(json!(1_700_000_000_999_i64), Some(json!(1_700_000_000)))]
    #[case(json!("2023-11-14T22:13:20+0000"), Some(json!(1_700_000_000)))]
    #[case(json!("2023-11-14 22:13:20.5+00"), Some(json!(1_700_000_000)))]
    #[case(json!("2023-11-14T22:13:20.000Z"), Some(json!(1_700_000_000)))]
    #[case(json!("2023-11-14 23:13:20"), Some(json!(1_700_000_000)))]
    #[case(json!("2023-11-15"), Some(json!(1_700_002_800)))]
    #[case(json!("0000-00-00 00:00:00"), Some(Value::Null))]
    #[case(json!("2024-00-00"), Some(Value::Null))]
    #[case(json!("yesterday"), None)]
    #[case(json!(true), None)]
    fn moments_are_read_in_the_forms_of_databases(
        #[case] sent: Value,
        #[case] expected: Option<Value>,
    ) {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        assert_eq!(moment(&sent, &zone), expected);
    }
}
