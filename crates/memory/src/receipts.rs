//! The answers to requests that clients may send again.

use std::collections::BTreeMap;

use slugline_domain::{
    AuditNote, IdempotencyKey, Insertion, KeptAnswer, KeptRequest, RequestClaim, UnixMillis,
    ports::StoreError,
};

/// Keys of callers, and what is stored about each.
#[derive(Debug, Default)]
pub(crate) struct MemoryReceipts(pub(crate) BTreeMap<(String, IdempotencyKey), KeptRequest>);

impl MemoryReceipts {
    /// Checks that no other request has the key of a change.
    pub(crate) fn check(&self, note: &AuditNote) -> Result<(), StoreError> {
        match &note.receipt {
            Some(receipt) if !self.is_free(&receipt.claim, None) => Err(StoreError::KeyInUse),
            Some(_) | None => Ok(()),
        }
    }

    /// Keeps the receipt of a change, if it leaves one.
    pub(crate) fn keep(&mut self, note: &AuditNote, outcomes: &[Insertion]) {
        if let Some(receipt) = &note.receipt {
            let answer = receipt.answer(outcomes);
            self.put(&receipt.claim, Some(answer), receipt.claim.kept_until());
        }
    }

    pub(crate) fn is_free(&self, claim: &RequestClaim, taken_until: Option<UnixMillis>) -> bool {
        let id = (claim.caller.clone(), claim.key.clone());
        self.0.get(&id).is_none_or(|kept| {
            let is_own = kept.answer.is_none() && Some(kept.until) == taken_until;
            kept.until <= claim.at || is_own
        })
    }

    pub(crate) fn put(
        &mut self,
        claim: &RequestClaim,
        answer: Option<KeptAnswer>,
        until: UnixMillis,
    ) {
        let kept = KeptRequest {
            fingerprint: claim.fingerprint,
            answer,
            until,
        };
        let id = (claim.caller.clone(), claim.key.clone());
        self.0.insert(id, kept);
    }
}
