//! Reads one link.

use slugline_domain::{Link, Scope, Slug};

use super::LinkService;
use crate::{Access, Error};

impl LinkService {
    /// The access rule of [`Self::get`].
    pub const GET: Access = Access::with_links(Scope::LinksRead);

    /// Reads the link with this slug, expired or not, from the store. It is the link that
    /// visitors find: the one under the canonical spelling, else the one under the exact
    /// spelling.
    ///
    /// # Errors
    /// No link has the slug, or the store failed.
    pub async fn get(&self, slug: &Slug) -> Result<Link, Error> {
        self.permit(Self::GET)?;
        let canonical = self.parts.policy.case.canonical(slug);
        let mut found = self.parts.store.find(&canonical).await?;
        if found.is_none() && canonical.as_ref() != slug {
            found = self.parts.store.find(slug).await?;
        }
        found.ok_or_else(|| Error::LinkNotFound(canonical.to_string()))
    }
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
