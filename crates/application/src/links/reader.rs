//! The use cases that read links, for one caller: one link, and whether links lead on at the moment
//! and their destinations answer.

use std::{collections::HashMap, ops::Deref};

use slugline_domain::{
    Failing, Link, LinkId, LinkKey, LinkStatus, Reach, Scope, UnixSeconds,
    ports::{LinkStore, StoreError},
};

use super::LinkService;
use crate::{access::Access, caller::Caller, error::Error, named_domains::NamedDomains};

/// The use cases that read links, for one caller. Links that the caller does not reach are not
/// there.
#[derive(Clone, Debug)]
pub struct LinkReader {
    service: LinkService,
    pub(super) reach: Reach,
}

impl LinkService {
    /// Returns the use cases that read the links of this caller.
    pub fn seen_by(&self, caller: &Caller) -> LinkReader {
        LinkReader {
            service: self.clone(),
            reach: caller.reach().clone(),
        }
    }
}

impl LinkReader {
    /// The links that the caller reaches.
    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }
}

impl Deref for LinkReader {
    type Target = LinkService;

    fn deref(&self) -> &LinkService {
        &self.service
    }
}

impl LinkService {
    /// The access rule of [`LinkReader::get`].
    pub const GET: Access = Access::with_links(Scope::LinksRead);

    /// Reads the link with this key, also one that the caller may not see.
    pub(crate) async fn find(&self, key: &LinkKey) -> Result<Link, Error> {
        let domains = self.domains();
        let key = domains.meant_key(key)?;
        let found = find_spelled(&*self.parts.store, domains, &key).await?;
        found.ok_or_else(|| not_found(domains, &key))
    }
}

impl LinkReader {
    /// Reads the link with this key, expired or not, from the store. It is the link that
    /// visitors find: the one under the canonical spelling, else the one under the exact
    /// spelling.
    ///
    /// # Errors
    /// The domain is not named, no link has the slug, or the store failed.
    pub async fn get(&self, key: &LinkKey) -> Result<Link, Error> {
        self.permit(LinkService::GET)?;
        let link = self.find(key).await?;
        if self.reach.holds(&link) {
            Ok(link)
        } else {
            Err(not_found(self.domains(), &link.key))
        }
    }
}

/// Reads the link that visitors find under a key: the one under the canonical spelling, else
/// the one under the exact spelling.
pub(crate) async fn find_spelled(
    store: &dyn LinkStore,
    domains: &NamedDomains,
    key: &LinkKey,
) -> Result<Option<Link>, StoreError> {
    for key in domains.spellings(key.clone()) {
        if let Some(found) = store.find(&key).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn not_found(domains: &NamedDomains, key: &LinkKey) -> Error {
    Error::LinkNotFound(domains.canonical(key).to_string())
}

/// The status of some links at a moment, and the failures of their destinations.
#[derive(Clone, Debug)]
pub struct LinkStates {
    now: UnixSeconds,
    is_watching: bool,
    broken: HashMap<LinkId, Failing>,
}

impl LinkReader {
    /// Reads the states of these links. The caller has read the links, so no scope is checked.
    ///
    /// # Errors
    /// The store failed.
    pub async fn states(
        &self,
        links: impl IntoIterator<Item = &Link>,
    ) -> Result<LinkStates, Error> {
        let links: Vec<&Link> = links.into_iter().collect();
        let broken = match &self.parts.watch {
            Some(watch) if !links.is_empty() => watch.broken(&links).await?,
            Some(_) | None => HashMap::new(),
        };
        Ok(LinkStates {
            now: self.now().second(),
            is_watching: self.parts.watch.is_some(),
            broken,
        })
    }
}

impl LinkStates {
    /// The status of a link.
    pub fn status(&self, link: &Link) -> LinkStatus {
        link.status_at(self.now)
    }

    /// The failures of the destination of a link, if it is broken; `None` where no node watches
    /// destinations.
    pub fn failures(&self, link: &Link) -> Option<&Failing> {
        self.broken.get(&link.id)
    }

    /// Returns whether another answer may be right later for the same version of a link.
    pub fn may_change(&self, link: &Link) -> bool {
        let life = &link.content.life;
        let has_bounds = life.starts_at.is_some() || life.max_visits.is_some();
        self.is_watching || has_bounds || link.effective_expiry().is_some()
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{assert_matches, key, link};

    use crate::{Error, links::fixture::fixture};

    #[tokio::test]
    async fn finds_expired_links_in_any_spelling_and_names_what_is_missing() {
        let old = link("docs").expires(-1).build();
        let fixture = fixture().holding(&old).await;
        assert_eq!(fixture.links.get(&key("DOCS")).await.unwrap(), old);
        let missing = fixture.links.get(&key("Nope")).await;
        assert_matches!(missing, Err(Error::LinkNotFound(key)) if key == "nope");
        fixture.file.break_down();
        assert_matches!(fixture.links.get(&key("docs")).await, Err(Error::Store(_)));
    }
}
