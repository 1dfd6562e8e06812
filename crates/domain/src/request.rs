//! Requests that a client may send again under one key (draft-ietf-httpapi-idempotency-key-header):
//! the link that the first one made carries their digests.

use std::str::FromStr;

use thiserror::Error;

/// The key that a client gives a request: 1 to 255 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey(Box<str>);

text_form!(IdempotencyKey: as_str);

impl IdempotencyKey {
    /// The most bytes of a key.
    pub const MAX_BYTES: usize = 255;
}

impl FromStr for IdempotencyKey {
    type Err = IdempotencyKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_printable = |byte: u8| (b' '..=b'~').contains(&byte);
        if text.is_empty() || text.len() > Self::MAX_BYTES || !text.bytes().all(is_printable) {
            return Err(IdempotencyKeyError);
        }
        Ok(Self(text.into()))
    }
}

/// A text is no key of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a key has 1 to {} printable ASCII characters",
    IdempotencyKey::MAX_BYTES
)]
pub struct IdempotencyKeyError;

/// The digests of a request that made a link, by which its repetition finds the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestDigests {
    /// A keyed digest of the caller, the key and, in a list, the position. No two links have the
    /// same one.
    pub key: [u8; 32],
    /// A digest of what the client asked for, the password left out.
    pub asked: [u8; 32],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_and_printable() {
        for good in [
            "a",
            "8e03978e-40d5-43dd-bc93-6894a57f9324",
            "a b~",
            &"k".repeat(255),
        ] {
            assert_eq!(good.parse::<IdempotencyKey>().unwrap().as_str(), good);
        }
        for bad in ["", "ä", "a\nb", "\u{7f}", &"k".repeat(256)] {
            assert_eq!(bad.parse::<IdempotencyKey>(), Err(IdempotencyKeyError));
        }
    }
}
