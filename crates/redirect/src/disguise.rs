//! Destinations in a form that is safe to show to people.

use std::borrow::Cow;

use crate::location;

/// Percent-encodes characters that are invisible or that reorder others, so
/// that a destination cannot look like another one.
pub(crate) fn without_disguise(target: &str) -> Cow<'_, str> {
    location::encode(target, is_disguise)
}

/// White space, soft hyphens, marks without a width, and the controls of
/// bidirectional text (Unicode Standard Annex #9).
fn is_disguise(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use slugline_testkit::assert_matches;

    use super::*;

    #[test]
    fn a_destination_cannot_look_like_another_one() {
        assert_eq!(
            without_disguise("https://e.example/\u{202e}moc b\u{200b}"),
            "https://e.example/%E2%80%AEmoc%20b%E2%80%8B"
        );
    }

    #[test]
    fn what_can_be_read_stays_readable() {
        let plain = "https://ü.example/<x>?a=b";
        assert_matches!(without_disguise(plain), Cow::Borrowed(same) if same == plain);
    }
}
