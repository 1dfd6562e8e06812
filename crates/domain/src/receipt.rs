//! Receipts: the answer to a request that its client may send again under one key
//! (draft-ietf-httpapi-idempotency-key-header).
//!
//! A receipt is stored in the transaction of the change that it answers, so neither exists without
//! the other.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use thiserror::Error;

use crate::{Insertion, UnixMillis};

/// The key that a client gives a request: 1 to 255 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey(Box<str>);

impl IdempotencyKey {
    /// The most bytes of a key.
    pub const MAX_BYTES: usize = 255;

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
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

/// A request that its client may send again: who sent it, under which key, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestClaim {
    /// The token by which it came. Each token has keys of its own.
    pub caller: String,
    /// The key.
    pub key: IdempotencyKey,
    /// A keyed digest of what the request said, which does not tell what that was.
    pub fingerprint: [u8; 32],
    /// The moment of the request.
    pub at: UnixMillis,
}

impl RequestClaim {
    /// The time for which an answer is kept.
    pub const KEPT: Duration = Duration::from_hours(24);

    /// The moment from which an answer is forgotten.
    pub fn kept_until(&self) -> UnixMillis {
        let kept = i64::try_from(Self::KEPT.as_millis()).unwrap_or(i64::MAX);
        UnixMillis::new(self.at.get().saturating_add(kept))
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAnswer {
    /// Its HTTP status.
    pub status: u16,
    /// The version of the link in it.
    pub entity_tag: Option<String>,
    /// Its body, as JSON.
    pub body: String,
}

/// What is stored about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRequest {
    /// The digest of what the request said.
    pub fingerprint: [u8; 32],
    /// The answer; `None` while the request runs.
    pub answer: Option<KeptAnswer>,
    /// The moment from which the key is free.
    pub until: UnixMillis,
}

/// The receipt that a change leaves: a claim, and how to make the answer of what became of the
/// links of the change.
#[derive(Clone)]
pub struct Receipt {
    /// The request.
    pub claim: RequestClaim,
    answer: Arc<AnswerOf>,
}

type AnswerOf = dyn Fn(&[Insertion]) -> KeptAnswer + Send + Sync;

impl Receipt {
    /// A receipt with an answer that is made of the outcomes of the change. It may be made more than
    /// once, until the change succeeds.
    pub fn new(
        claim: RequestClaim,
        answer: impl Fn(&[Insertion]) -> KeptAnswer + Send + Sync + 'static,
    ) -> Self {
        Self {
            claim,
            answer: Arc::new(answer),
        }
    }

    /// The answer to a request with these outcomes.
    pub fn answer(&self, outcomes: &[Insertion]) -> KeptAnswer {
        (self.answer)(outcomes)
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Receipt").field(&self.claim).finish()
    }
}

/// Receipts of one request are equal.
impl PartialEq for Receipt {
    fn eq(&self, other: &Self) -> bool {
        self.claim == other.claim
    }
}

impl Eq for Receipt {}

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
