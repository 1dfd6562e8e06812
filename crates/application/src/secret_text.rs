//! Secret texts: random bytes in base64url. Only their digests are stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use slugline_domain::ports::Random;

/// The bytes of most secrets: 256 random bits. RFC 6749, section 10.10, asks for 128.
pub(crate) const SECRET_BYTES: usize = 32;

/// So many random bytes as text.
pub(crate) fn mint<const BYTES: usize>(random: &dyn Random) -> String {
    let mut secret = [0; BYTES];
    random.fill(&mut secret);
    URL_SAFE_NO_PAD.encode(secret)
}

/// Returns whether a text has the form of so many bytes.
pub(crate) fn has_bytes(text: &str, bytes: usize) -> bool {
    URL_SAFE_NO_PAD
        .decode(text)
        .is_ok_and(|decoded| decoded.len() == bytes)
}

/// The digest under which a text is stored.
pub(crate) fn digest_of(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}
