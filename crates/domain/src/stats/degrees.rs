//! Coordinates, as exactly as they are shown.

use std::fmt;

/// A latitude or longitude in hundredths of a degree, about a kilometre. No
/// answer is more exact, so that none points at a house.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Degrees(i32);

impl Degrees {
    /// Not known; also what lies on the equator or in Greenwich.
    pub const ZERO: Self = Self(0);

    /// The nearest hundredth; halves move away from zero. What is no number of
    /// degrees becomes zero.
    pub fn nearest(degrees: f64) -> Self {
        // The standard library converts floating-point numbers to integers by
        // `as` or by their digits, and only the latter can fail.
        let hundredths = format!("{:.0}", (degrees * 100.0).round());
        Self(hundredths.parse().unwrap_or(0))
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
