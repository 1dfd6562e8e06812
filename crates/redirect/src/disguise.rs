//! Destinations in a form that is safe to show to people.

use std::{borrow::Cow, fmt::Write};

use slugline_domain::text::is_invisible;

/// Percent-encodes, as UTF-8, characters that are invisible or that reorder others, so
/// that a destination cannot look like another one.
pub(crate) fn without_disguise(target: &str) -> Cow<'_, str> {
    if !target.contains(is_disguise) {
        return target.into();
    }
    let mut encoded = String::with_capacity(target.len() + 16);
    for c in target.chars() {
        if is_disguise(c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                write!(encoded, "%{byte:02X}").expect("writing to a string does not fail");
            }
        } else {
            encoded.push(c);
        }
    }
    encoded.into()
}

/// White space, what is invisible anywhere, and joiners, which an address need not show.
fn is_disguise(c: char) -> bool {
    c.is_whitespace() || is_invisible(c) || matches!(c, '\u{200c}' | '\u{200d}')
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
