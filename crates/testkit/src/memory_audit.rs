//! The audit trail in memory.

use async_trait::async_trait;
use slugline_domain::{
    AuditLine, AuditNote, AuditQuery, Slug, UnixMillis,
    ports::{AuditTrail, StoreError},
};

use crate::MemoryLinkStore;

#[async_trait]
impl AuditTrail for MemoryLinkStore {
    async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        drop(self.open("read the audit trail")?);
        Ok(self.trail().chosen(query))
    }

    async fn add(&self, note: &AuditNote, slug: Option<&Slug>) -> Result<(), StoreError> {
        drop(self.open("write into the audit trail")?);
        self.trail().add(note, slug);
        Ok(())
    }

    async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        drop(self.open("shorten the audit trail")?);
        Ok(self.trail().remove_before(moment, limit))
    }
}
