//! Deletes the link that has a key, whichever version it is.

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, Link, LinkKey,
    ports::{Deletion, LinkStore, StoreError, Version},
};

/// Deletes links of any version. A service deletes the version that it read.
#[async_trait]
pub trait DeleteByKey {
    /// Removes the link stored under exactly this key, and returns it as it was.
    ///
    /// # Errors
    /// The store failed.
    async fn delete(&self, key: &LinkKey, note: &AuditNote) -> Result<Option<Link>, StoreError>;
}

#[async_trait]
impl<S: LinkStore + ?Sized> DeleteByKey for S {
    async fn delete(&self, key: &LinkKey, note: &AuditNote) -> Result<Option<Link>, StoreError> {
        loop {
            let Some(link) = self.find(key).await? else {
                return Ok(None);
            };
            // Another version may have replaced the one that was found.
            match self.delete_version(key, &Version::of(&link), note).await? {
                Deletion::Deleted => return Ok(Some(link)),
                Deletion::Outdated => {}
            }
        }
    }
}
