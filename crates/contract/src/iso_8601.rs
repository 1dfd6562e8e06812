//! Moments as text.

use jiff::Timestamp;
use slugline_domain::UnixMillis;

/// ISO 8601 in UTC with milliseconds.
pub fn iso_8601(moment: UnixMillis) -> String {
    // Four-digit years end before the domain's moments do.
    let moment = Timestamp::from_millisecond(moment.get()).unwrap_or(Timestamp::MAX);
    format!("{moment:.3}")
}
