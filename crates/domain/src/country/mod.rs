//! Countries by code.

mod names;

use std::{collections::BTreeMap, fmt};

use thiserror::Error;

use crate::Destination;

/// Destinations by country of the visitor.
pub type Countries = BTreeMap<Country, Destination>;

/// A two-letter country code in upper case (the form of ISO 3166-1 alpha-2).
/// Unassigned codes are accepted too, because the list of assigned ones
/// changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

text_form!(Country: Display, FromStr<CountryError>);

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

    /// Returns the country with this short English name, such as `Germany`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        let mut countries = names::ENGLISH.iter();
        let (code, _) = countries.find(|(_, english)| english.eq_ignore_ascii_case(name))?;
        Self::parse(code).ok()
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("both bytes are ASCII letters")
    }

    /// The short English name, such as `Germany`; the code itself if it is
    /// unassigned.
    pub fn english_name(&self) -> &str {
        names::ENGLISH
            .binary_search_by_key(&self.as_str(), |(code, _)| code)
            .map_or(self.as_str(), |found| names::ENGLISH[found].1)
    }

    /// The flag: the code in regional indicator symbols, which fonts show as a
    /// flag (Unicode Technical Standard 51, section 1.4.6).
    pub fn flag(&self) -> String {
        const INDICATOR_A: u32 = 0x1f1e6;
        self.0
            .iter()
            .filter_map(|letter| char::from_u32(INDICATOR_A + u32::from(letter - b'A')))
            .collect()
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Country({})", self.as_str())
    }
}

/// The text is not a country code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a country code is two letters, such as DE")]
pub struct CountryError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_is_found_by_its_english_name() {
        assert_eq!(Country::named(" germany "), Country::parse("DE").ok());
        assert_eq!(Country::named("Atlantis"), None);
    }

    #[test]
    fn codes_are_two_letters_in_upper_case() {
        assert_eq!(Country::parse(" de ").unwrap().as_str(), "DE");
        for wrong in ["", "D", "DEU", "D1", "ä", "T1"] {
            assert_eq!(Country::parse(wrong), Err(CountryError), "{wrong:?}");
        }
    }

    #[test]
    fn countries_have_an_english_name_and_a_flag() {
        let germany = Country::parse("DE").unwrap();
        assert_eq!(germany.english_name(), "Germany");
        assert_eq!(germany.flag(), "🇩🇪");
        let nobody = Country::parse("ZX").unwrap();
        assert_eq!(nobody.english_name(), "ZX");
    }

    #[test]
    fn every_name_is_found_by_its_code() {
        for (code, name) in names::ENGLISH {
            assert_eq!(Country::parse(code).unwrap().english_name(), name);
        }
    }
}
