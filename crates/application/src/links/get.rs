//! Reads one link.

use slugline_domain::{
    Link, LinkKey, Scope,
    ports::{LinkStore, StoreError},
};

use super::{LinkReader, LinkService};
use crate::{access::Access, error::Error, named_domains::NamedDomains};

impl LinkService {
    /// The access rule of [`LinkReader::get`].
    pub const GET: Access = Access::with_links(Scope::LinksRead);

    /// Reads the link with this key, whoever may see it.
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
    /// Nobody has named the domain, no link has the slug, or the store failed.
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
    let canonical = domains.canonical(key);
    let found = store.find(&canonical).await?;
    if found.is_none() && canonical.as_ref() != key {
        return store.find(key).await;
    }
    Ok(found)
}

fn not_found(domains: &NamedDomains, key: &LinkKey) -> Error {
    Error::LinkNotFound(domains.canonical(key).to_string())
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{key, link};

    use crate::{Error, links::fixture::fixture};

    #[tokio::test]
    async fn finds_expired_links_in_any_spelling_and_names_what_is_missing() {
        let old = link("docs").expires(-1).build();
        let fixture = fixture().holding(&old).await;
        assert_eq!(fixture.links.get(&key("DOCS")).await.unwrap(), old);
        let missing = fixture.links.get(&key("Nope")).await;
        assert!(matches!(missing, Err(Error::LinkNotFound(key)) if key == "nope"));
        fixture.store.break_down();
        assert!(matches!(
            fixture.links.get(&key("docs")).await,
            Err(Error::Store(_))
        ));
    }
}
