//! One-time codes that sign in to the dashboard in place of the site token.
//!
//! Browsers keep the addresses that they open, with the part after the `#`, so an address with a
//! token would leave it there for good.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use slugline_domain::ports::Random;

/// A code that stands for the site token once, for [`SignInCode::SECONDS`]: 43 letters, digits,
/// `-` and `_`. Only its digest is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInCode(String);

impl SignInCode {
    /// The lifetime of a code.
    pub const SECONDS: i64 = 600;
    /// 256 random bits.
    const SECRET_BYTES: usize = 32;

    /// Draws a code.
    pub fn mint(random: &dyn Random) -> Self {
        let mut secret = [0; Self::SECRET_BYTES];
        random.fill(&mut secret);
        Self(URL_SAFE_NO_PAD.encode(secret))
    }

    /// The code in clear.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The digest by which the code is stored.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The digest of a text that may be a code; `None` if its form shows that it is none.
    pub(crate) fn digest_of(presented: &str) -> Option<[u8; 32]> {
        let bytes = URL_SAFE_NO_PAD.decode(presented).ok()?;
        (bytes.len() == Self::SECRET_BYTES).then(|| Self(presented.into()).digest())
    }
}

impl fmt::Debug for SignInCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInCode(…)")
    }
}
