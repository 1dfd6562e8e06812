//! The stores of the audit trail and of the answers to repeated requests.

use std::fmt;

use async_trait::async_trait;

use crate::{
    AuditLine, AuditNote, AuditQuery, IdempotencyKey, KeptAnswer, KeptRequest, LinkKey,
    RequestClaim, UnixMillis, ports::links::StoreError,
};

/// Reads the audit trail, which the stores of links and tokens write, and shortens it. Each
/// method is one transaction.
#[async_trait]
pub trait AuditTrail: fmt::Debug + Send + Sync {
    /// Lines, the newest first: by moment, then by number.
    async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError>;

    /// Adds the line of a change that is not made in this store, about the link with this key.
    async fn add(&self, note: &AuditNote, key: Option<&LinkKey>) -> Result<(), StoreError>;

    /// Removes lines from before a moment, at most `limit` of them, the oldest first. Returns the
    /// number of removed lines. Several nodes may call it at once.
    async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError>;
}

/// Keeps the answers to requests that clients may send again. Each method is one transaction.
///
/// The stores of links write most answers themselves, with the change that they answer
/// ([`AuditNote::receipt`](crate::AuditNote#structfield.receipt)).
#[async_trait]
pub trait ReceiptStore: fmt::Debug + Send + Sync {
    /// What is stored about a key of a caller, unless it is free at `now`.
    async fn kept(
        &self,
        caller: &str,
        key: &IdempotencyKey,
        now: UnixMillis,
    ) -> Result<Option<KeptRequest>, StoreError>;

    /// Takes a free key for a request that runs, until a moment. Returns whether the key was
    /// free.
    async fn take(&self, claim: &RequestClaim, until: UnixMillis) -> Result<bool, StoreError>;

    /// Stores the answer to a request, under a key that is free or that this request
    /// [took](Self::take) until `taken_until`. Returns false, and stores nothing, if another request
    /// has the key.
    async fn keep(
        &self,
        claim: &RequestClaim,
        answer: &KeptAnswer,
        taken_until: Option<UnixMillis>,
    ) -> Result<bool, StoreError>;

    /// Frees a key that this request [took](Self::take) until `taken_until`.
    async fn release(
        &self,
        claim: &RequestClaim,
        taken_until: UnixMillis,
    ) -> Result<(), StoreError>;

    /// Removes keys that are free at a moment, at most `limit` of them. Returns the number of
    /// removed ones. Several nodes may call it at once.
    async fn remove_free(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError>;
}
