//! The preferred language of a visitor.

use slugline_domain::{first_language, referring_host};

use crate::bounds::{LANGUAGE_MAX_BYTES, REFERER_MAX_BYTES, truncate};

/// The most preferred language of an `Accept-Language` header, such as `en-US`. Empty if there is
/// none.
pub(crate) fn first_preference(header: &str) -> String {
    let preferred = first_language(header).unwrap_or_default();
    in_usual_case(truncate(preferred, LANGUAGE_MAX_BYTES))
}

/// Tags that differ only in case are the same language. Tags are usually in
/// lower case, except for regions, `US`, and scripts, `Hant`, up to the first
/// group of one letter (RFC 5646 section 2.1.1).
fn in_usual_case(tag: &str) -> String {
    let mut usual = tag.to_ascii_lowercase();
    let mut start = 0;
    for (position, group) in tag.split('-').enumerate() {
        let end = start + group.len();
        match group.len() {
            1 => break,
            2 if position > 0 => usual[start..end].make_ascii_uppercase(),
            4 if position > 0 => usual[start..=start].make_ascii_uppercase(),
            _ => {}
        }
        start = end + 1;
    }
    usual
}

/// The host of a `Referer` header, with the port unless it is the scheme's default; empty if the
/// header names none.
pub(crate) fn host(header: &str) -> String {
    let host = referring_host(header).unwrap_or_default();
    truncate(&host, REFERER_MAX_BYTES).to_owned()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("en-US", "en-US")]
    #[case("zh-Hant-TW", "zh-Hant-TW")]
    #[case("EN-us", "en-US")]
    #[case("zh-hant-tw", "zh-Hant-TW")]
    #[case("SL-ROZAJ-1994", "sl-rozaj-1994")]
    #[case("en-ca-x-CA", "en-CA-x-ca")]
    fn the_same_language_has_one_spelling(#[case] header: &str, #[case] expected: &str) {
        assert_eq!(first_preference(header), expected);
    }

    #[test]
    fn no_language_is_an_empty_text() {
        assert_eq!(first_preference("*"), "");
    }

    #[test]
    fn a_tag_beyond_the_bound_is_cut() {
        let header = format!("en{}", "-abcdefgh".repeat(9));
        assert_eq!(first_preference(&header).len(), LANGUAGE_MAX_BYTES);
    }

    #[test]
    fn no_host_is_an_empty_text() {
        assert_eq!(host("/path"), "");
    }

    #[test]
    fn a_host_beyond_the_bound_is_cut() {
        let header = format!("https://{}.example/", "a".repeat(200));
        assert_eq!(host(&header).len(), REFERER_MAX_BYTES);
    }
}
