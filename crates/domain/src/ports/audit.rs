//! The store of the audit trail.

use std::fmt;

use async_trait::async_trait;

use crate::{AuditLine, AuditNote, AuditQuery, LinkKey, UnixMillis, ports::links::StoreError};

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
