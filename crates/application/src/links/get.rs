//! Reads one link.

use slugline_domain::{
    Link, Scope, Slug, SlugCase,
    ports::{LinkStore, StoreError},
};

use super::{LinkReader, LinkService};
use crate::{Access, Error};

impl LinkService {
    /// The access rule of [`LinkReader::get`].
    pub const GET: Access = Access::with_links(Scope::LinksRead);

    /// Reads the link with this slug, whoever may see it.
    pub(crate) async fn find(&self, slug: &Slug) -> Result<Link, Error> {
        let case = self.parts.policy.case;
        let found = find_spelled(&*self.parts.store, case, slug).await?;
        found.ok_or_else(|| not_found(case, slug))
    }
}

impl LinkReader {
    /// Reads the link with this slug, expired or not, from the store. It is the link that
    /// visitors find: the one under the canonical spelling, else the one under the exact
    /// spelling.
    ///
    /// # Errors
    /// No link has the slug, or the store failed.
    pub async fn get(&self, slug: &Slug) -> Result<Link, Error> {
        self.permit(LinkService::GET)?;
        let link = self.find(slug).await?;
        if self.reach.holds(&link) {
            Ok(link)
        } else {
            Err(not_found(self.parts.policy.case, slug))
        }
    }
}

/// Reads the link that visitors find under a slug: the one under the canonical spelling, else
/// the one under the exact spelling.
pub(crate) async fn find_spelled(
    store: &dyn LinkStore,
    case: SlugCase,
    slug: &Slug,
) -> Result<Option<Link>, StoreError> {
    let canonical = case.canonical(slug);
    let found = store.find(&canonical).await?;
    if found.is_none() && canonical.as_ref() != slug {
        return store.find(slug).await;
    }
    Ok(found)
}

fn not_found(case: SlugCase, slug: &Slug) -> Error {
    Error::LinkNotFound(case.canonical(slug).to_string())
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{link, slug};

    use crate::{Error, links::fixture::fixture};

    #[tokio::test]
    async fn finds_expired_links_in_any_spelling_and_names_what_is_missing() {
        let old = link("docs").expires(-1).build();
        let fixture = fixture().holding(&old).await;
        assert_eq!(fixture.links.get(&slug("DOCS")).await.unwrap(), old);
        let missing = fixture.links.get(&slug("Nope")).await;
        assert!(matches!(missing, Err(Error::LinkNotFound(slug)) if slug == "nope"));
        fixture.store.break_down();
        assert!(matches!(
            fixture.links.get(&slug("docs")).await,
            Err(Error::Store(_))
        ));
    }
}
