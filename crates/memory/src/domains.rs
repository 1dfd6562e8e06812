//! The named domains.

use std::sync::Arc;

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, Domain, DomainName, Host, Link, LinkKey,
    ports::{DomainRemoval, DomainStore, Hearing, LinkMove, StoreError},
};

use crate::MemoryLinkStore;

/// Named domains, beside a link store in memory. It passes the same contract suite as the SQL store.
#[derive(Clone, Debug)]
pub struct MemoryDomainStore {
    links: Arc<MemoryLinkStore>,
}

impl MemoryDomainStore {
    /// The domains of the links in this store.
    pub fn beside(links: Arc<MemoryLinkStore>) -> Self {
        Self { links }
    }
}

#[async_trait]
impl DomainStore for MemoryDomainStore {
    async fn list(&self) -> Result<Vec<Domain>, StoreError> {
        let state = self.links.open("list domains")?;
        Ok(state.domains.values().cloned().collect())
    }

    async fn insert(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let mut state = self.links.open("store a domain")?;
        let is_new = !state.domains.contains_key(&domain.host);
        if is_new {
            state.put_domain(domain, note);
        }
        Ok(is_new)
    }

    async fn update(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let mut state = self.links.open("change a domain")?;
        let is_named = state.domains.contains_key(&domain.host);
        if is_named {
            state.put_domain(domain, note);
        }
        Ok(is_named)
    }

    async fn remove(&self, host: &Host, note: &AuditNote) -> Result<DomainRemoval, StoreError> {
        let mut state = self.links.open("remove a domain")?;
        let name = DomainName::named(host.clone());
        if !state.domains.contains_key(host) {
            return Ok(DomainRemoval::NoDomain);
        }
        if state.links().any(|link| link.key.domain == name) {
            return Ok(DomainRemoval::HasLinks);
        }
        state.remove_domain(host, note);
        Ok(DomainRemoval::Removed)
    }

    async fn move_links(
        &self,
        links: &[LinkKey],
        to: &DomainName,
        note: &AuditNote,
    ) -> Result<LinkMove, StoreError> {
        let mut state = self.links.open("move links to another domain")?;
        if !state.has_domain(to) {
            return Ok(LinkMove::NoDomain);
        }
        let there = links.iter().filter(|key| key.domain != *to);
        let there: Vec<Link> = there.filter_map(|key| state.get(key).cloned()).collect();
        let moved = |link: &Link| Link {
            key: LinkKey::new(to.clone(), link.key.slug.clone()),
            revision: link.revision.next(),
            updated_at: note.at.second(),
            ..link.clone()
        };
        let moved: Vec<Link> = there.iter().map(moved).collect();
        if moved.iter().any(|link| state.get(&link.key).is_some()) {
            return Ok(LinkMove::Taken);
        }
        for (former, link) in there.into_iter().zip(moved) {
            state.trail.add(note, Some(&former.key));
            state.replace(&former.key, link, note);
        }
        Ok(LinkMove::Moved)
    }

    fn hearing(&self) -> Hearing {
        self.links.hearing_of_domains()
    }
}
