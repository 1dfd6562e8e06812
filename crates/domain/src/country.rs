//! Countries by code.

use std::fmt;

use thiserror::Error;

/// A two-letter country code in upper case (ISO 3166-1 alpha-2 form; whether
/// the code is assigned is not checked, since the list changes).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

impl Country {
    /// Trims, upper-cases and checks a code.
    ///
    /// # Errors
    /// The text is not two ASCII letters.
    pub fn parse(text: &str) -> Result<Self, CountryError> {
        match text.trim().as_bytes() {
            [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Ok(Self([a.to_ascii_uppercase(), b.to_ascii_uppercase()]))
            }
            _ => Err(CountryError),
        }
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("both bytes are ASCII letters")
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Country({})", self.as_str())
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text is not a country code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a country code is two letters, such as DE")]
pub struct CountryError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_two_letters_in_upper_case() {
        assert_eq!(Country::parse(" de ").unwrap().as_str(), "DE");
        for wrong in ["", "D", "DEU", "D1", "ä", "T1"] {
            assert_eq!(Country::parse(wrong), Err(CountryError), "{wrong:?}");
        }
    }
}
