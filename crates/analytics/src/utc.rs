//! UTC days.

pub const MILLIS_PER_DAY: i64 = 86_400_000;

/// The UTC day of a moment, as its number since 1970.
pub fn day_of(moment_ms: i64) -> i64 {
    moment_ms.div_euclid(MILLIS_PER_DAY)
}
