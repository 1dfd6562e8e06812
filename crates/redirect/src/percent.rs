//! Percent-encodes characters that may not stand where they are.

use std::{borrow::Cow, fmt::Write};

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
    use super::*;

    #[test]
    fn what_need_not_be_encoded_is_not_copied() {
        assert!(matches!(
            encode("a%20b", |c| c == 'x'),
            Cow::Borrowed("a%20b")
        ));
        assert_eq!(encode("aüb", |c| !c.is_ascii()), "a%C3%BCb");
    }
}
