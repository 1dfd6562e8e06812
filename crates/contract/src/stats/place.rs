//! Values of filters that are codes or names from a table.

use slugline_domain::Country;

use super::{choice::NONE, zone};
use crate::{
    issue::{Explain, IssueCode},
    sent::Fault,
};

/// The text is no value of the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// A country is named by its code.
    Country(String),
    /// No time zone has a name like it.
    Zone(String),
}

/// Reads the code of a country; the empty text stands for none.
pub(super) fn country(text: &str) -> Result<String, NoPlace> {
    if text == NONE {
        return Ok(String::new());
    }
    Country::parse(text)
        .map(|country| country.to_string())
        .map_err(|_| NoPlace::Country(text.to_owned()))
}

/// Reads the name of a time zone. The table of zones may be older than a visitor's zone, so a
/// name of the usual form is taken as it is.
pub(super) fn zone(text: &str) -> Result<String, NoPlace> {
    match text {
        NONE => Ok(String::new()),
        name if name.contains('/') || zone::is_known(name) => Ok(name.to_owned()),
        other => Err(NoPlace::Zone(other.to_owned())),
    }
}

impl Explain for NoPlace {
    fn explain(&self) -> Fault {
        let (message, expected) = match self {
            Self::Country(text) => match Country::named(text) {
                Some(country) => (
                    format!("{text:?} is no country code, did you mean {country}?"),
                    country.to_string(),
                ),
                None => (
                    format!("{text:?} is no country code"),
                    "two-letter country codes, such as DE,FR".into(),
                ),
            },
            Self::Zone(text) => (
                format!(
                    "no visitor has the time zone {text:?}{}; clientTimezone sets the clock of \
                     the answer",
                    zone::hint(text)
                ),
                "time zones of visitors, such as Europe/Berlin".into(),
            ),
        };
        (IssueCode::InvalidValue, message, expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_named_otherwise_is_told_its_name() {
        let told = |error: NoPlace| error.explain().1;
        assert_eq!(
            told(country("Germany").unwrap_err()),
            "\"Germany\" is no country code, did you mean DE?"
        );
        assert_eq!(
            told(zone("Berlin").unwrap_err()),
            "no visitor has the time zone \"Berlin\", did you mean Europe/Berlin?; clientTimezone \
             sets the clock of the answer"
        );
        assert_eq!(zone("UTC").unwrap(), "UTC");
        assert_eq!(zone("Atlantis/Poseidonis").unwrap(), "Atlantis/Poseidonis");
        assert_eq!(zone(NONE).unwrap(), "");
    }
}
