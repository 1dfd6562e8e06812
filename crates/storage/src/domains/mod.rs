//! Named domains.
//!
//! | module | holds |
//! |---|---|
//! | `records` | naming hosts, and their records |
//! | `removal` | taking a domain away |
//! | `moves` | moving links to another domain |

mod moves;
mod records;
mod removal;

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, Domain, DomainName, Host, Keeping, LinkKey,
    ports::{DomainRemoval, DomainStore, Hearing, LinkMove, StoreError},
};

use self::{
    moves::MoveLinks,
    records::{Insert, List, Replace},
    removal::Remove,
};
use crate::{database::Database, failure::failing_to};

/// Named domains, beside the links of a database.
#[derive(Clone, Debug)]
pub struct SqlDomainStore {
    pub(crate) database: Database,
    pub(crate) keeping: Keeping,
}

#[async_trait]
impl DomainStore for SqlDomainStore {
    async fn list(&self) -> Result<Vec<Domain>, StoreError> {
        let listed = self.database.read(List).await;
        listed.map_err(failing_to("list domains"))
    }

    async fn insert(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let insert = Insert(domain.clone(), note.clone());
        let inserted = self.database.change(insert).await;
        // It may have been committed even if the answer got lost; so may the others.
        self.database.domains_changed();
        inserted.map_err(failing_to("store a domain"))
    }

    async fn update(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let replace = Replace(domain.clone(), note.clone());
        let replaced = self.database.change(replace).await;
        self.database.domains_changed();
        replaced.map_err(failing_to("change a domain"))
    }

    async fn remove(&self, host: &Host, note: &AuditNote) -> Result<DomainRemoval, StoreError> {
        let remove = Remove(host.clone(), note.clone());
        let removed = self.database.change(remove).await;
        self.database.domains_changed();
        removed.map_err(failing_to("remove a domain"))
    }

    async fn move_links(
        &self,
        links: &[LinkKey],
        to: &DomainName,
        note: &AuditNote,
    ) -> Result<LinkMove, StoreError> {
        let change = MoveLinks {
            links: links.to_vec(),
            to: to.clone(),
            note: note.clone(),
            keeping: self.keeping,
        };
        let moved = self.database.change(change).await;
        moved.map_err(failing_to("move links to another domain"))
    }

    fn hearing(&self) -> Hearing {
        self.database.hearing_of_domains()
    }
}
