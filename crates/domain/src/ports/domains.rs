//! The store of the domains that links belong to.

use std::fmt;

use async_trait::async_trait;

use crate::{
    AuditNote, Domain, DomainName, Host, Link,
    ports::links::{Hearing, StoreError},
};

/// Stores the named domains, beside the links. Each method is one transaction.
///
/// Each domain that a method stores, changes or removes leaves one line in the audit trail, made of
/// the `note` and the host, in the same transaction.
#[async_trait]
pub trait DomainStore: fmt::Debug + Send + Sync {
    /// Every named domain, by host.
    async fn list(&self) -> Result<Vec<Domain>, StoreError>;

    /// Names a host. Returns false, and stores nothing, if it is named already.
    async fn insert(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError>;

    /// Replaces the record of a named host. Returns false if the host is not named.
    async fn update(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError>;

    /// Removes a domain that has no links, expired ones included. A link that is stored at the same
    /// time either keeps the domain or is answered with [`Insertion::NoDomain`](crate::Insertion::NoDomain).
    async fn remove(&self, host: &Host, note: &AuditNote) -> Result<DomainRemoval, StoreError>;

    /// Moves those of these links that are still there to a domain: all of them or none, and none if
    /// one is another version by now. They keep everything but their domain; the revision grows. Each
    /// moved link leaves two lines in the audit trail, one about its former key and one about its new
    /// key.
    async fn move_links(
        &self,
        links: &[Link],
        to: &DomainName,
        note: &AuditNote,
    ) -> Result<LinkMove, StoreError>;

    /// The way in which the store learns of changes of domains by other processes. What was listed
    /// stays true for as long as this is [`Hearing::Announced`] or [`Hearing::Counted`] with the
    /// same number.
    fn hearing(&self) -> Hearing {
        Hearing::Deaf
    }
}

/// The outcome of removing a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainRemoval {
    /// It is gone.
    Removed,
    /// It has links.
    HasLinks,
    /// The host is not named.
    NoDomain,
}

/// The outcome of moving links to another domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkMove {
    /// All of the links that were there are in the domain.
    Moved,
    /// Nothing moved, because links of the domain have some of the slugs.
    Taken,
    /// Nothing moved, because one of the links was changed or replaced.
    Outdated,
    /// Nothing moved, because the host of the domain is not named.
    NoDomain,
}
