//! The secret that signs messages.

use std::{fmt, ops::RangeInclusive};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;

/// A secret that the receiver knows too.
#[derive(Clone)]
pub struct WebhookSecret(Hmac<Sha256>);

impl WebhookSecret {
    const PREFIX: &str = "whsec_";
    /// The bounds of <https://www.standardwebhooks.com>.
    const BYTES: RangeInclusive<usize> = 24..=64;

    /// Parses a secret in its usual form: `whsec_` and 24 to 64 bytes in
    /// base64.
    ///
    /// # Errors
    /// The text has another form.
    pub fn parse(text: &str) -> Result<Self, WebhookSecretError> {
        let encoded = text.strip_prefix(Self::PREFIX).ok_or(WebhookSecretError)?;
        let bytes = BASE64_STANDARD.decode(encoded).ok();
        let bytes = bytes
            .filter(|bytes| Self::BYTES.contains(&bytes.len()))
            .ok_or(WebhookSecretError)?;
        let keyed = Hmac::new_from_slice(&bytes).expect("HMAC takes keys of any length");
        Ok(Self(keyed))
    }

    /// The value of `webhook-signature` for a message.
    pub(super) fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut mac = self.0.clone();
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        let signature = BASE64_STANDARD.encode(mac.finalize().into_bytes());
        format!("v1,{signature}")
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

/// The text is not a secret of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected whsec_ and 24 to 64 random bytes in base64")]
pub struct WebhookSecretError;

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes 0 to 31.
    const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    #[test]
    fn signs_as_the_reference_implementation_does() {
        // Made with the package `standardwebhooks` for Python, by the authors
        // of the standard.
        let signature = WebhookSecret::parse(SECRET).unwrap().sign(
            "evt_01890000-0000-7000-8000-000000000000",
            1_800_000_000,
            br#"{"id":"evt","event":"link.clicked"}"#,
        );
        assert_eq!(signature, "v1,kn1t+6KnsCk95pMNbnFTSFoLDyeX/v0MzvnyY7hGirk=");
    }

    #[test]
    fn a_secret_has_its_form_and_stays_hidden() {
        let of = |bytes: usize| format!("whsec_{}", BASE64_STANDARD.encode(vec![7; bytes]));
        for good in [SECRET, &of(24), &of(64)] {
            let secret = WebhookSecret::parse(good).unwrap();
            assert_eq!(format!("{secret:?}"), "WebhookSecret");
        }
        for bad in ["", "whsec_", "whsec_%%%", &SECRET[6..], &of(23), &of(65)] {
            assert_eq!(
                WebhookSecret::parse(bad).unwrap_err(),
                WebhookSecretError,
                "{bad}"
            );
        }
    }
}
