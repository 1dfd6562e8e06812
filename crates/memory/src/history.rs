//! Former versions of links, and the trash.

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, FormerVersion, Keeping, Link, LinkId, LinkVersions, Purge, Reach, Revision,
    TrashQuery, UnixMillis,
    history::LinkHistory,
    ports::{Insertion, StoreError, Version},
};

use crate::MemoryLinkStore;

#[async_trait]
impl LinkHistory for MemoryLinkStore {
    fn keeping(&self) -> Keeping {
        self.keeping()
    }

    async fn versions(&self, id: &LinkId) -> Result<LinkVersions, StoreError> {
        let state = self.open("read the versions of a link")?;
        let former = state.versions.of(id).cloned().collect();
        Ok(LinkVersions::new(state.with_id(id).cloned(), former))
    }

    async fn trash(&self, query: &TrashQuery) -> Result<Vec<FormerVersion>, StoreError> {
        let state = self.open("read the trash")?;
        Ok(state.versions.trash(query, |id| state.has_id(id)))
    }

    async fn bring_back(
        &self,
        reach: &Reach,
        link: &Link,
        last: Revision,
        note: &AuditNote,
    ) -> Result<Option<Insertion>, StoreError> {
        let mut state = self.open("bring a link back")?;
        if !state.versions.in_trash(&link.id, last) {
            return Ok(None);
        }
        let inserted = state.insert(reach, link, note);
        if inserted == Insertion::Stored {
            state.versions.take_out(&link.id, note);
        }
        Ok(Some(inserted))
    }

    async fn purge(
        &self,
        id: &LinkId,
        known: Option<&Version>,
        note: &AuditNote,
    ) -> Result<Purge, StoreError> {
        let mut state = self.open("erase a link")?;
        let current = state.with_id(id).cloned();
        if known.is_some() && current.as_ref().map(Version::of).as_ref() != known {
            return Ok(Purge::Outdated);
        }
        let last = state.versions.of(id).next();
        let last = last.map(|version| version.link.clone());
        let Some(latest) = current.or(last) else {
            return Ok(Purge::Nothing);
        };
        if state.has_id(id) {
            state.take(&latest.key);
        }
        state.versions.forget(id);
        state.trail.add(note, Some(&latest.key));
        Ok(Purge::Purged(latest.key))
    }

    async fn remove_old(&self, now: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let mut state = self.open("remove old versions of links")?;
        Ok(state.versions.remove_old(now, limit))
    }
}
