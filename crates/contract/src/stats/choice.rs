//! Filters as text: values to include or to exclude.
//!
//! A text is a list with commas. A value with `!` in front is excluded, and [`NONE`]
//! stands for the empty value. An exclamation mark at the start of a value, or after a
//! comma in it, is doubled.
//!
//! Some values are codes, or names from a table.

use slugline_domain::{Choice, Country, Dimension};

use super::zone;
use crate::issue::{Explain, Fault, IssueCode};

/// The name of the empty value: unknown, or none. No stored value has this text.
pub(super) const NONE: &str = "(none)";

/// The part of a text between two commas.
struct Piece {
    excluded: bool,
    /// The text without the mark, with doubled marks halved.
    text: String,
}

impl Piece {
    fn read(text: &str) -> Self {
        let value = text.trim_start();
        let (space, rest) = (
            &text[..text.len() - value.len()],
            value.trim_start_matches('!'),
        );
        let marks = value.len() - rest.len();
        Self {
            excluded: marks % 2 == 1,
            text: [space, &"!".repeat(marks / 2), rest].concat(),
        }
    }

    fn is_blank(&self) -> bool {
        !self.excluded && self.text.trim().is_empty()
    }
}

/// Reads a choice among the values of a dimension. `None` if the text is empty.
///
/// # Errors
/// The text names values to include and values to exclude, or has a mark without a value.
pub(super) fn read(
    text: &str,
    dimension: Dimension,
) -> Result<Option<Choice<String>>, ChoiceError> {
    let choice = choose(text, dimension.holds_commas())?;
    Ok(choice.map(|choice| match choice {
        Choice::AnyOf(values) => Choice::any_of(values.into_iter().map(known)),
        Choice::NoneOf(values) => Choice::none_of(values.into_iter().map(known)),
    }))
}

/// Reads a choice of texts. If values may hold commas, an excluded one ends
/// where the next one begins.
///
/// # Errors
/// As for [`read`].
pub(super) fn choose(
    text: &str,
    may_hold_commas: bool,
) -> Result<Option<Choice<String>>, ChoiceError> {
    let pieces: Vec<Piece> = text.split(',').map(Piece::read).collect();
    let mut named = pieces.iter().filter(|piece| !piece.is_blank());
    let Some(first) = named.next() else {
        return Ok(None);
    };
    if !first.excluded {
        if named.any(|piece| piece.excluded) {
            return Err(ChoiceError::Mixed);
        }
        return Ok(Some(Choice::any_of(candidates(&pieces))));
    }
    let mut excluded: Vec<String> = Vec::new();
    for piece in &pieces {
        match excluded.last_mut() {
            Some(value) if !piece.excluded && may_hold_commas => {
                value.push(',');
                value.push_str(&piece.text);
            }
            _ if piece.excluded => excluded.push(piece.text.clone()),
            _ if piece.is_blank() => {}
            _ => return Err(ChoiceError::Mixed),
        }
    }
    if excluded.iter().any(|value| value.trim().is_empty()) {
        return Err(ChoiceError::Nothing);
    }
    let excluded = excluded.iter().map(|value| value.trim().to_owned());
    Ok(Some(Choice::none_of(excluded)))
}

/// Returns the pieces between commas, and the whole text: regions, cities and some URLs
/// hold commas themselves.
fn candidates(pieces: &[Piece]) -> Vec<String> {
    let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let whole = texts.join(",");
    let parts = texts.iter().map(|text| text.trim());
    let mut candidates: Vec<String> = parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect();
    candidates.push(whole.trim().to_owned());
    candidates
}

fn known(value: String) -> String {
    if value == NONE { String::new() } else { value }
}

/// The reason why a text is not a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChoiceError {
    /// The text names values to include and values to exclude.
    Mixed,
    /// The text has a mark without a value.
    Nothing,
}

impl ChoiceError {
    pub(super) fn explain(self) -> Fault {
        let (message, expected) = match self {
            Self::Mixed => (
                "has values to include and values to exclude",
                "values of one kind: DE,FR or !DE,!FR; the ! of a value that begins so is \
                 written twice",
            ),
            Self::Nothing => (
                "has a ! without a value",
                "a value after each !; !(none) excludes visits where it is unknown",
            ),
        };
        (IssueCode::Custom, message.into(), expected.into())
    }
}

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
    use rstest::rstest;

    use super::*;

    fn choice(text: &str, dimension: Dimension) -> Result<Option<Choice<String>>, ChoiceError> {
        read(text, dimension)
    }

    fn any(values: &[&str]) -> Choice<String> {
        Choice::any_of(values.iter().map(|&value| value.to_owned()))
    }

    fn none(values: &[&str]) -> Choice<String> {
        Choice::none_of(values.iter().map(|&value| value.to_owned()))
    }

    #[rstest]
    #[case("DE", any(&["DE"]))]
    #[case(" DE ,, FR,", any(&["DE", "FR", "DE ,, FR,"]))]
    #[case("!DE", none(&["DE"]))]
    #[case(" !DE , ! FR ,,", none(&["DE", "FR"]))]
    #[case("(none)", any(&[""]))]
    #[case("(none),DE", any(&["", "DE", "(none),DE"]))]
    #[case("!(none)", none(&[""]))]
    #[case("!(none),!DE", none(&["", "DE"]))]
    #[case("!!a", any(&["!a"]))]
    #[case("!!!a", none(&["!a"]))]
    #[case("!!!!a,b", any(&["!!a", "b", "!!a,b"]))]
    #[case("!!", any(&["!"]))]
    #[case("a!", any(&["a!"]))]
    fn a_text_names_values(#[case] text: &str, #[case] expected: Choice<String>) {
        assert_eq!(choice(text, Dimension::Country), Ok(Some(expected)));
    }

    #[rstest]
    #[case("Kassel,Germany", any(&["Kassel", "Germany", "Kassel,Germany"]))]
    #[case("!Kassel,Germany", none(&["Kassel,Germany"]))]
    #[case("!Kassel,Germany,!Patan,Nepal", none(&["Kassel,Germany", "Patan,Nepal"]))]
    #[case("!a,,b", none(&["a,,b"]))]
    #[case("!a,!!b", none(&["a,!b"]))]
    #[case("a,!!b", any(&["a", "!b", "a,!b"]))]
    #[case("!(none),!Kassel,Germany", none(&["", "Kassel,Germany"]))]
    fn values_may_hold_commas(#[case] text: &str, #[case] expected: Choice<String>) {
        assert_eq!(choice(text, Dimension::City), Ok(Some(expected)));
    }

    #[rstest]
    #[case("DE,!FR", ChoiceError::Mixed)]
    #[case("!DE,FR", ChoiceError::Mixed)]
    #[case("!", ChoiceError::Nothing)]
    #[case("!DE,! ", ChoiceError::Nothing)]
    fn a_choice_is_of_one_kind_and_names_something(#[case] text: &str, #[case] error: ChoiceError) {
        assert_eq!(choice(text, Dimension::Country), Err(error));
    }

    #[test]
    fn a_city_is_not_mixed_with_excluded_ones_either() {
        let mixed = choice("Kassel,!Patan", Dimension::City);
        assert_eq!(mixed, Err(ChoiceError::Mixed));
    }

    #[test]
    fn nothing_sent_is_no_choice() {
        for text in ["", " ", ",", " , ,"] {
            assert_eq!(choice(text, Dimension::Slug), Ok(None), "{text:?}");
        }
    }

    /// Escapes a value as a client does before it sends the value.
    fn written(value: &str) -> String {
        let doubled = value.split(',').map(|piece| {
            let begins = piece.len() - piece.trim_start().len();
            let rest = piece[begins..].trim_start_matches('!');
            let marks = &piece[begins..piece.len() - rest.len()];
            [&piece[..begins], marks, marks, rest].concat()
        });
        doubled.collect::<Vec<_>>().join(",")
    }

    #[test]
    fn every_value_can_be_included_and_excluded() {
        const PARTS: [&str; 5] = ["!", ",", "a", " ", "(none)"];
        let mut values = vec![String::new()];
        for _ in 0..4 {
            let longer = values
                .iter()
                .flat_map(|value| PARTS.map(|part| [value.as_str(), part].concat()));
            values.extend(longer.collect::<Vec<_>>());
        }
        // Stored values begin and end without a space, and none is NONE.
        values.retain(|value| value.trim() == value && value != NONE);
        values.retain(|value| !value.chars().all(|c| c == ',' || c == ' '));
        assert!(values.len() > 300);
        for value in values {
            let text = written(&value);
            let included = choice(&text, Dimension::City).unwrap().unwrap();
            assert!(included.admits(&*value), "{value:?} as {text:?}");
            let excluded = choice(&format!("!{text}"), Dimension::City);
            let excluded = excluded.unwrap().unwrap();
            assert_eq!(excluded, none(&[&value]), "{text:?}");
        }
    }

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
