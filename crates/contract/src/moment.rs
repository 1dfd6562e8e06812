//! Moments as texts.

use jiff::Timestamp;
use slugline_domain::UnixMillis;

/// ISO 8601, UTC, with milliseconds.
pub(crate) fn iso_8601(moment: UnixMillis) -> String {
    // Four-digit years end before the domain's moments do.
    let moment = Timestamp::from_millisecond(moment.get()).unwrap_or(Timestamp::MAX);
    format!("{moment:.3}")
}
