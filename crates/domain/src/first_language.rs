//! The language that a visitor prefers.

/// The largest weight, which no later language can exceed.
const MOST: u16 = 1_000;

/// The most preferred language of an `Accept-Language` header as it is written there, such as
/// `en-US`; the first of several with equal weight (RFC 9110 section 12.5.4). `None` if there is
/// none.
pub fn first_language(header: &str) -> Option<&str> {
    let mut best = (None, 0);
    for entry in header.split(',') {
        let (tag, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        let (tag, weight) = (tag.trim(), weight(parameters));
        if weight > best.1 && is_language_tag(tag) {
            best = (Some(tag), weight);
            if weight == MOST {
                break;
            }
        }
    }
    best.0
}

/// Returns whether the text has the form of a language tag: letters first, then
/// groups of letters and digits (RFC 5646 section 2.1). The wildcard `*` is not
/// a language.
fn is_language_tag(tag: &str) -> bool {
    let mut groups = tag.split('-');
    let primary = groups.next().unwrap_or("");
    (1..=8).contains(&primary.len())
        && primary.bytes().all(|b| b.is_ascii_alphabetic())
        && groups.all(|group| {
            (1..=8).contains(&group.len()) && group.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}

/// The weight in thousandths: 1,000 if there is none, 0 if it is malformed.
fn weight(parameters: &str) -> u16 {
    let parameters = parameters.trim();
    if parameters.is_empty() {
        return MOST;
    }
    let Some(number) = parameters
        .strip_prefix("q=")
        .or_else(|| parameters.strip_prefix("Q="))
    else {
        return 0;
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = fraction.bytes().all(|b| b.is_ascii_digit()) && fraction.len() <= 3;
    match (whole, digits) {
        ("1", true) => MOST,
        ("0", true) => thousandths(fraction),
        _ => 0,
    }
}

/// The digits behind a point, at most three, as thousandths.
fn thousandths(digits: &str) -> u16 {
    let places = [100, 10, 1].into_iter();
    let values = digits.bytes().zip(places);
    values
        .map(|(digit, place)| u16::from(digit - b'0') * place)
        .sum()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("en-US", "en-US")]
    #[case("en-US,en;q=0.5", "en-US")]
    #[case(" de ; q=0.9 , en", "en")]
    #[case("fr;q=0.8,de;q=0.85,en;q=0.85", "de")]
    #[case("*,it;q=0.1", "it")]
    #[case("zh-Hant-TW", "zh-Hant-TW")]
    #[case("de;q=0,en;q=0.001", "en")]
    #[case("EN-us", "EN-us")]
    fn the_most_preferred_language_wins(#[case] header: &str, #[case] expected: &str) {
        assert_eq!(first_language(header), Some(expected));
    }

    #[rstest]
    #[case("")]
    #[case("*")]
    #[case("de;q=0")]
    #[case("<script>")]
    #[case("en_US")]
    #[case("de;q=2")]
    #[case("-de")]
    fn what_is_no_language_counts_as_none(#[case] header: &str) {
        assert_eq!(first_language(header), None);
    }
}
