//! The audit trail.

use async_trait::async_trait;
use slugline_domain::{
    AuditLine, AuditNote, AuditQuery, LinkKey, UnixMillis,
    ports::{AuditTrail, StoreError},
};

use crate::MemoryLinkStore;

#[async_trait]
impl AuditTrail for MemoryLinkStore {
    async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        Ok(self.open("read the audit trail")?.trail.chosen(query))
    }

    async fn add(&self, note: &AuditNote, key: Option<&LinkKey>) -> Result<(), StoreError> {
        let mut state = self.open("write into the audit trail")?;
        state.trail.add(note, key);
        Ok(())
    }

    async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let mut state = self.open("shorten the audit trail")?;
        Ok(state.trail.remove_before(moment, limit))
    }
}
