//! The time of all visits.

use slugline_domain::UnixSeconds;

/// The days that the visits are spread over.
pub const DAYS: u32 = 90;

/// The end of the last day: 2025-11-08 00:00 UTC.
pub const END: UnixSeconds = match UnixSeconds::new(1_762_560_000) {
    Ok(moment) => moment,
    Err(_) => panic!("the moment is in range"),
};
