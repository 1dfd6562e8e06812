//! Finds the link whose answer is to be explained.

use slugline_domain::{Change, DomainName, Link, LinkKey, LinkPatch, Scope, Slug, UnixSeconds};

use super::{LinkReader, LinkService, NewLink, draft::not_hashed};
use crate::{
    access::{Access, Forbidden},
    error::Error,
};

/// A link whose answer is to be explained, stored or not.
#[derive(Clone, Debug)]
pub enum LinkToExplain {
    /// The stored link with this key.
    Stored(LinkKey),
    /// The stored link with this key, as it would be after a change.
    Changed(LinkKey, Box<LinkPatch>),
    /// A link that is not stored.
    New(Box<NewLink>),
}

impl LinkToExplain {
    /// The domain whose visitors are meant.
    pub fn domain(&self) -> &DomainName {
        match self {
            Self::Stored(key) | Self::Changed(key, _) => &key.domain,
            Self::New(new) => &new.domain,
        }
    }
}

impl LinkService {
    /// The access rule of [`LinkReader::to_explain`].
    pub const EXPLAIN: Access = Access::outside_preview(Scope::LinksRead, Forbidden::Explain);
}

impl LinkReader {
    /// The link whose answer is to be explained, which is the one that visitors find, and the
    /// present moment. A draft may not lead to itself, as when it is stored. Nothing is stored, and a
    /// password is not hashed.
    ///
    /// # Errors
    /// Preview mode, the domain is not named, no link has the slug, members of the draft
    /// contradict each other or what is stored, or the store failed.
    pub async fn to_explain(&self, target: LinkToExplain) -> Result<(Link, UnixSeconds), Error> {
        self.permit(LinkService::EXPLAIN)?;
        let now = self.now();
        let link = match target {
            LinkToExplain::Stored(key) => self.found_by_visitors(&key).await?,
            LinkToExplain::Changed(key, patch) => {
                let before = self.get(&key).await?;
                let mut link = before.clone();
                match &patch.password {
                    Change::Keep => {}
                    Change::Clear => link.password = None,
                    Change::Set(_) => link.password = Some(not_hashed()),
                }
                patch.apply(&mut link.content);
                link.content.check()?;
                link.check_circles(Some(&before), &self.own_addresses)?;
                link
            }
            LinkToExplain::New(mut new) => {
                new.domain = self.domains().meant(new.domain)?;
                new.content.check()?;
                let chosen = new.slug.clone();
                let is_chosen = chosen.is_some();
                let slug = chosen.unwrap_or_else(|| Slug::parse("draft").expect("it is a slug"));
                let password = new.password.is_some().then(not_hashed);
                let link = self.complete(*new, slug, password, now);
                if is_chosen {
                    link.check_circles(None, &self.own_addresses)?;
                }
                link
            }
        };
        Ok((link, now.second()))
    }

    async fn found_by_visitors(&self, key: &LinkKey) -> Result<Link, Error> {
        match self.get(key).await {
            Err(Error::LinkNotFound(_)) if self.domains().falls_through(&key.domain) => {
                self.get(&key.slug.clone().into()).await
            }
            found => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Password, ports::LinkStore};
    use slugline_testkit::{assert_matches, destination, key, link};

    use super::*;
    use crate::links::fixture::{demonstration, fixture};

    #[tokio::test]
    async fn a_draft_is_laid_over_the_stored_link_and_not_stored() {
        let stored = link("docs").build();
        let fixture = fixture().holding(&stored).await;
        let patch = LinkPatch {
            destination: Some(destination("https://new.example/")),
            password: Change::Set(Password::parse("hunter2").unwrap()),
            ..LinkPatch::default()
        };
        let target = LinkToExplain::Changed(key("docs"), Box::new(patch));
        let (shown, _) = fixture.links.to_explain(target).await.unwrap();
        assert_eq!(shown.content.destination.as_str(), "https://new.example/");
        assert!(shown.password.is_some());
        let found = fixture.store.find(&key("docs")).await.unwrap();
        assert_eq!(found, Some(stored));
        let new = NewLink::leading_to(destination("https://e.example/"));
        let new = LinkToExplain::New(Box::new(new));
        let (shown, _) = fixture.links.to_explain(new).await.unwrap();
        assert_eq!(fixture.store.find(&shown.key).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_demonstration_explains_nothing() {
        let target = LinkToExplain::Stored(key("docs"));
        let refused = demonstration().links.to_explain(target).await;
        assert_matches!(refused, Err(Error::PreviewMode(Forbidden::Explain)));
    }
}
