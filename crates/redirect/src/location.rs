//! The header `Location`, and percent-encoding.

use std::{borrow::Cow, fmt::Write};

use actix_web::http::header::HeaderValue;

/// Percent-encodes, as UTF-8, blanks and all characters that are not visible
/// ASCII, as a browser would. Destinations hold no control characters.
pub(crate) fn location(target: &str) -> HeaderValue {
    // The fold does not stop at the first failing byte, so that the compiler can test
    // many at once.
    let fits = |fits, byte: u8| fits & byte.is_ascii_graphic();
    if target.bytes().fold(true, fits) {
        return HeaderValue::from_str(target).expect("visible ASCII is a header value");
    }
    let encoded = encode(target, |c| !c.is_ascii_graphic());
    HeaderValue::from_str(&encoded).expect("visible ASCII is a header value")
}

/// Percent-encodes, as UTF-8, the characters that `must_be` encoded.
pub(crate) fn encode(text: &str, must_be: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&must_be) {
        return text.into();
    }
    let mut encoded = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if must_be(c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                write!(encoded, "%{byte:02X}").expect("writing to a string does not fail");
            }
        } else {
            encoded.push(c);
        }
    }
    encoded.into()
}

#[cfg(test)]
mod tests {
    use slugline_testkit::assert_matches;

    use super::*;

    #[test]
    fn locations_are_visible_ascii_whatever_the_destination_holds() {
        let encoded = |target| location(target).to_str().unwrap().to_owned();
        assert_eq!(
            encoded("https://e.example/a?b=%20#c"),
            "https://e.example/a?b=%20#c"
        );
        assert_eq!(
            encoded("https://e.example/ü b"),
            "https://e.example/%C3%BC%20b"
        );
        assert_eq!(
            encoded("https://e.example/\r\nX: y"),
            "https://e.example/%0D%0AX:%20y"
        );
    }

    #[test]
    fn what_need_not_be_encoded_is_not_copied() {
        assert_matches!(encode("a%20b", |c| c == 'x'), Cow::Borrowed("a%20b"));
        assert_eq!(encode("aüb", |c| !c.is_ascii()), "a%C3%BCb");
    }
}
