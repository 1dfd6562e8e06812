//! Former versions of links, and the trash of deleted ones.
//!
//! A store keeps the former version in the transaction of the change that ended it, so neither
//! exists without the other.

use std::{collections::BTreeSet, fmt, time::Duration};

use async_trait::async_trait;

use crate::{
    AuditNote, CallerName, DomainName, Link, LinkId, LinkKey, Reach, Revision, UnixMillis,
    ports::{Insertion, StoreError, Version},
};

/// The versions that a store keeps of links that were changed or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keeping {
    /// The most former versions of a link that is there. With 0 nothing is kept, of deleted links
    /// either.
    pub versions: u16,
    /// The time for which deleted links are kept, with their versions. Zero keeps none.
    pub deleted_for: Duration,
}

impl Keeping {
    /// Keeps nothing.
    pub const NOTHING: Self = Self {
        versions: 0,
        deleted_for: Duration::ZERO,
    };

    /// Returns whether deleted links are kept.
    pub fn has_trash(&self) -> bool {
        self.versions > 0 && !self.deleted_for.is_zero()
    }

    /// The moment until which a link that was deleted at another one is kept.
    pub fn until(&self, deleted_at: UnixMillis) -> UnixMillis {
        UnixMillis::new(deleted_at.get().saturating_add(self.kept_millis()))
    }

    /// Links that were deleted before this moment are to go.
    pub fn ends_before(&self, now: UnixMillis) -> UnixMillis {
        UnixMillis::new(now.get().saturating_sub(self.kept_millis()))
    }

    fn kept_millis(&self) -> i64 {
        i64::try_from(self.deleted_for.as_millis()).unwrap_or(i64::MAX)
    }
}

impl Default for Keeping {
    /// Twenty versions, and deleted links for thirty days.
    fn default() -> Self {
        Self {
            versions: 20,
            deleted_for: Duration::from_hours(30 * 24),
        }
    }
}

/// The change that ended a version of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The moment of the change.
    pub at: UnixMillis,
    /// The caller who made it.
    pub by: CallerName,
    /// The word of an [`AuditedOperation`](crate::AuditedOperation).
    pub operation: String,
}

impl Ending {
    /// The end by the change of this note.
    pub fn by(note: &AuditNote) -> Self {
        Self {
            at: note.at,
            by: note.author.caller.clone(),
            operation: note.operation.to_string(),
        }
    }
}

/// A former version of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerVersion {
    /// Tells versions of the same moment apart. Later versions have greater numbers.
    pub number: i64,
    /// The link as it was.
    pub link: Link,
    /// The change that ended the version. The next version begins with it.
    pub end: Ending,
    /// True if that change deleted the link, and no caller has brought it back since.
    pub is_deleted: bool,
}

/// A link and its former versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkVersions {
    /// The link that is there.
    pub current: Option<Link>,
    /// Former versions, the newest first. If there is no current one, the change that ended the
    /// first of them deleted the link.
    pub former: Vec<FormerVersion>,
}

impl LinkVersions {
    /// Takes the versions of one identity, the newest first. A link that was stored anew under the
    /// identity of a deleted one begins another history, so the older one is left out.
    pub fn new(current: Option<Link>, mut former: Vec<FormerVersion>) -> Self {
        let newest = usize::from(current.is_none());
        let other = former.iter().skip(newest).position(|one| one.is_deleted);
        former.truncate(other.map_or(former.len(), |index| index + newest));
        Self { current, former }
    }

    /// The link as it is, or was before it was deleted.
    pub fn latest(&self) -> Option<&Link> {
        let deleted = || self.former.first().map(|former| &former.link);
        self.current.as_ref().or_else(deleted)
    }

    /// The version with this number.
    pub fn version(&self, revision: Revision) -> Option<&Link> {
        let all = self.current.iter();
        let mut all = all.chain(self.former.iter().map(|former| &former.link));
        all.find(|link| link.revision == revision)
    }
}

/// A link that a request under a key made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeLink {
    /// The link as it is, or was before it was deleted.
    pub link: Link,
    /// True if it is in the trash.
    pub is_deleted: bool,
}

/// The position after a link in the trash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrashPosition {
    /// The moment at which the last link seen was deleted.
    pub deleted_at: UnixMillis,
    /// The number of its last version.
    pub number: i64,
}

impl TrashPosition {
    /// The position after this link.
    pub fn after(deleted: &FormerVersion) -> Self {
        Self {
            deleted_at: deleted.end.at,
            number: deleted.number,
        }
    }
}

/// A request for a page of the trash, the link deleted last first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrashQuery {
    /// Only these links, by what they were when they were deleted.
    pub reach: Reach,
    /// Only links of this domain.
    pub domain: Option<DomainName>,
    /// Only links after this position.
    pub after: Option<TrashPosition>,
    /// The largest number of links to return.
    pub limit: u32,
}

/// The outcome of erasing a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purge {
    /// Nothing is left of the link that has or had this key.
    Purged(LinkKey),
    /// Nothing was there.
    Nothing,
    /// The link was changed, replaced, deleted or brought back meanwhile.
    Outdated,
}

/// Keeps former versions of links, beside the links. Each method is one transaction.
///
/// The methods of [`LinkStore`](crate::ports::LinkStore) and
/// [`DomainStore`](crate::ports::DomainStore) keep the former version of each link that they change
/// or delete, in the same transaction. An update that keeps the revision makes no new version.
#[async_trait]
pub trait LinkHistory: fmt::Debug + Send + Sync {
    /// The versions that the store keeps.
    fn keeping(&self) -> Keeping;

    /// The versions of the link that has or had this identity.
    async fn versions(&self, id: &LinkId) -> Result<LinkVersions, StoreError>;

    /// The links that requests with these [digests](crate::RequestDigests::key) of their keys made, in
    /// no order.
    async fn made_by(&self, keys: &BTreeSet<[u8; 32]>) -> Result<Vec<MadeLink>, StoreError>;

    /// Deleted links, the one deleted last first. A link whose identity another one has is not
    /// there.
    async fn trash(&self, query: &TrashQuery) -> Result<Vec<FormerVersion>, StoreError>;

    /// Stores a deleted link as [`LinkStore::insert`](crate::ports::LinkStore::insert)
    /// does, unless it is no longer in the trash with this revision as its last; then the answer is
    /// `None`.
    async fn bring_back(
        &self,
        reach: &Reach,
        link: &Link,
        last: Revision,
        note: &AuditNote,
    ) -> Result<Option<Insertion>, StoreError>;

    /// Removes a link, if it is there, and all of its versions. If `known` names a version, the link
    /// must be there in this version. What is removed leaves one line in the audit trail.
    async fn purge(
        &self,
        id: &LinkId,
        known: Option<&Version>,
        note: &AuditNote,
    ) -> Result<Purge, StoreError>;

    /// Removes what is no longer kept at this moment: of at most `limit` deleted links, or so many
    /// versions if nothing is kept. Returns the number of these. Several nodes may call it at once.
    async fn remove_old(&self, now: UnixMillis, limit: u32) -> Result<u64, StoreError>;
}
