//! Former versions of links, read, brought back and removed. `former_versions` writes them.
//!
//! | module | holds |
//! |---|---|
//! | `reads` | the versions of a link, and the trash |
//! | `bring_back` | storing a deleted link again |
//! | `purge` | erasing a link with its versions |
//! | `upkeep` | removing what is no longer kept |

mod bring_back;
mod purge;
mod reads;
mod upkeep;

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, FormerVersion, Keeping, Link, LinkId, LinkVersions, Purge, Reach, Revision,
    TrashQuery, UnixMillis,
    history::LinkHistory,
    ports::{Insertion, StoreError, Version},
};

use self::{
    bring_back::BringBack,
    purge::PurgeLink,
    reads::{ReadTrash, ReadVersions},
    upkeep::RemoveOld,
};
use crate::{
    failure::failing_to,
    links::{SqlLinkStore, insert::InsertLink},
};

#[async_trait]
impl LinkHistory for SqlLinkStore {
    fn keeping(&self) -> Keeping {
        self.keeping
    }

    async fn versions(&self, id: &LinkId) -> Result<LinkVersions, StoreError> {
        let read = self.database.read(ReadVersions(id.clone())).await;
        read.map_err(failing_to("read the versions of a link"))
    }

    async fn trash(&self, query: &TrashQuery) -> Result<Vec<FormerVersion>, StoreError> {
        let read = self.database.read(ReadTrash(query.clone())).await;
        read.map_err(failing_to("read the trash"))
    }

    async fn bring_back(
        &self,
        reach: &Reach,
        link: &Link,
        last: Revision,
        note: &AuditNote,
    ) -> Result<Option<Insertion>, StoreError> {
        let insert = InsertLink {
            reach: reach.clone(),
            link: link.clone(),
            note: note.clone(),
            keeping: self.keeping,
            may_be_stored: false,
        };
        let brought = self.database.change(BringBack { insert, last }).await;
        brought.map_err(failing_to("bring a link back"))
    }

    async fn purge(
        &self,
        id: &LinkId,
        known: Option<&Version>,
        note: &AuditNote,
    ) -> Result<Purge, StoreError> {
        let purge = PurgeLink {
            id: id.clone(),
            known: known.cloned(),
            note: note.clone(),
        };
        let purged = self.database.change(purge).await;
        purged.map_err(failing_to("erase a link"))
    }

    async fn remove_old(&self, now: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let remove = RemoveOld {
            keeping: self.keeping,
            now,
            limit,
        };
        let removed = self.database.change(remove).await;
        removed.map_err(failing_to("remove old versions of links"))
    }
}
