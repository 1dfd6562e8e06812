//! The settings of the webhook, its secret among them.

use std::{fmt, ops::RangeInclusive, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;
use url::Url;

/// The receiver and the policy of retries.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    /// The receiver.
    pub url: Url,
    /// The secret that signs messages, if they are signed.
    pub secret: Option<WebhookSecret>,
    /// The limits of queues, attempts and times.
    pub retries: RetryPolicy,
}

/// Limits of queues, attempts and times.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// The most messages in the queue; further ones are dropped.
    pub queue: usize,
    /// The most messages that are being delivered or wait for their next
    /// attempt.
    pub pending: usize,
    /// The most connections at a time.
    pub connections: usize,
    /// The most attempts at one message.
    pub attempts: u32,
    /// The time limit of one attempt.
    pub timeout: Duration,
    /// Roughly the pause before the second attempt; it doubles before each
    /// further one.
    pub first_pause: Duration,
    /// The longest pause, even if the receiver asks for a longer one.
    pub longest_pause: Duration,
    /// The shortest time between two reports of losses in the log output.
    pub report_every: Duration,
    /// The time for delivering the rest when the service stops.
    pub grace: Duration,
}

impl Default for RetryPolicy {
    /// The pauses let a receiver restart, which takes half a minute, without
    /// missing a message. The timeout of ten seconds is Sink's. A waiting
    /// message takes about half a kilobyte.
    fn default() -> Self {
        Self {
            queue: 4_096,
            pending: 1_024,
            connections: 8,
            attempts: 6,
            timeout: Duration::from_secs(10),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_mins(1),
            report_every: Duration::from_mins(1),
            grace: Duration::from_secs(5),
        }
    }
}

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
