//! Coordinates, rounded as they are shown.

use std::fmt;

/// A latitude or longitude in hundredths of a degree, about a kilometre.
/// Answers are never more exact, so that they do not point at a house.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Degrees(i32);

impl Degrees {
    /// Unknown; also the equator and the meridian of Greenwich.
    pub const ZERO: Self = Self(0);

    /// Rounds to the nearest hundredth, halves away from zero. NaN and numbers
    /// too large to store become zero.
    pub fn nearest(degrees: f64) -> Self {
        let hundredths = (degrees * 100.0).round();
        if hundredths.abs() > f64::from(i32::MAX) {
            return Self::ZERO;
        }
        #[expect(
            clippy::as_conversions,
            clippy::cast_possible_truncation,
            reason = "a whole number in the range of i32, or NaN, which becomes 0"
        )]
        let hundredths = hundredths as i32;
        Self(hundredths)
    }

    /// Hundredths of a degree.
    pub const fn hundredths(self) -> i32 {
        self.0
    }
}

impl From<Degrees> for f64 {
    fn from(degrees: Degrees) -> Self {
        Self::from(degrees.0) / 100.0
    }
}

/// Two digits after the point: `-33.87`.
impl fmt::Display for Degrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", f64::from(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_rounded_to_hundredths() {
        for (degrees, shown) in [
            (52.519_9, "52.52"),
            (-33.867, "-33.87"),
            (0.125, "0.13"),
            (-0.125, "-0.13"),
            (-0.001, "0.00"),
            (13.4, "13.40"),
            (180.0, "180.00"),
            (f64::NAN, "0.00"),
            (1e300, "0.00"),
        ] {
            let rounded = Degrees::nearest(degrees);
            assert_eq!(rounded.to_string(), shown);
            assert_eq!(Degrees::nearest(rounded.into()), rounded);
        }
    }
}
