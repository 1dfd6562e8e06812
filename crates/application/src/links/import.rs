//! Imports links from an export.

use std::{
    collections::{BTreeSet, HashSet},
    mem,
};

use slugline_domain::{
    AuditedOperation, DomainName, ForwardingFault, Link, LinkId, LinkKey, Scope, Slug, UnixMillis,
    ports::Insertion,
};

use super::{ImportLink, LinkService, LinkWriter, draft::not_hashed, repeat::Made};
use crate::{
    access::{Access, Forbidden},
    error::Error,
};

/// The result for one link of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedLink {
    /// The stored link, or the link that would have been stored.
    pub link: Link,
    /// The outcome for the link.
    pub outcome: ImportOutcome,
}

/// The outcome for an imported link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportOutcome {
    /// The link was stored, perhaps when the same request came before; an expired link with the
    /// same key is gone.
    Stored,
    /// An active link owns the key and stays unchanged.
    Skipped,
    /// As `Skipped`, and the active link has the identifier or the destination: it is the link of
    /// an earlier import.
    CameBefore,
    /// Another link has the identifier.
    IdTaken,
    /// The host of the link's domain was taken away during the import.
    NoDomain,
    /// It would lead visitors in circles, so it was left out.
    Forwarding(ForwardingFault),
    /// The same request made another link of it before.
    KeyReused,
    /// The same request stored the link before, and it was deleted since.
    LinkDeleted,
}

impl ImportOutcome {
    /// The outcome of an insertion, in whose way a link of an earlier import may be.
    pub(super) fn of(insertion: Insertion, came_before: bool) -> Self {
        match insertion {
            Insertion::Stored => Self::Stored,
            Insertion::SlugTaken if came_before => Self::CameBefore,
            Insertion::SlugTaken => Self::Skipped,
            Insertion::IdTaken => Self::IdTaken,
            Insertion::NoDomain => Self::NoDomain,
            Insertion::Repeated => Self::LinkDeleted,
        }
    }
}

/// The links of an import that can be stored, and the others by their places in it.
#[derive(Default)]
struct Ready {
    links: Vec<Link>,
    refused: Vec<(usize, ImportedLink)>,
}

/// The results for all links of an import, in its order.
fn in_order(
    results: impl Iterator<Item = ImportedLink>,
    refused: Vec<(usize, ImportedLink)>,
) -> Vec<ImportedLink> {
    let mut all: Vec<ImportedLink> = results.collect();
    for (index, link) in refused {
        all.insert(index, link);
    }
    all
}

/// Tells if passwords in clear are hashed.
#[derive(Clone, Copy)]
enum Hashing {
    Done,
    LeftOut,
}

impl LinkService {
    /// The access rule of [`LinkWriter::import`].
    pub const IMPORT: Access = Access::outside_preview(Scope::LinksWrite, Forbidden::Import);
}

impl LinkWriter {
    /// Imports links as if one after the other, and returns the result for each, in
    /// order. A repeated import changes no destination, and under a key it makes no second link. Links to dangerous destinations
    /// get a warning, unless they say whether they are safe.
    ///
    /// # Errors
    /// Preview mode, a password cannot be hashed, or the store failed; then no link was imported.
    pub async fn import(&self, batch: Vec<ImportLink>) -> Result<Vec<ImportedLink>, Error> {
        self.permit(LinkService::IMPORT)?;
        self.spend(batch.len())?;
        let note = self.note(AuditedOperation::LinkImport);
        let Ready { links, refused } = self.ready(batch, note.at, Hashing::Done).await?;
        let parts = &self.parts;
        let outcomes = parts.store.insert_many(&self.reach, &links, &note).await;
        for (index, link) in links.iter().enumerate() {
            let is_stored = matches!(&outcomes, Ok(all) if all[index] == Insertion::Stored);
            parts.resolver.announce(&link.key, &note, is_stored);
        }
        let done: Vec<(Link, Insertion)> = links.into_iter().zip(outcomes?).collect();
        let skipped = done.iter().filter(|(_, it)| *it == Insertion::SlugTaken);
        let skipped = skipped.map(|(link, _)| link.key.clone()).collect();
        // The links are stored, so a failure of this look-up must not fail the import.
        let owners = parts.store.holders(&skipped, &BTreeSet::new()).await;
        let owners = owners.unwrap_or_default();
        let repeated = done.iter().filter(|(_, it)| *it == Insertion::Repeated);
        let mut made = self
            .made_by(repeated.filter_map(|(link, _)| link.request))
            .await?;
        let imported = done.into_iter().map(|(link, insertion)| {
            if insertion == Insertion::Repeated {
                return self.imported_before(link, &mut made);
            }
            let came_before = |owner: &Link| {
                let to = &owner.content.destination;
                owner.key == link.key && (owner.id == link.id || *to == link.content.destination)
            };
            let outcome = ImportOutcome::of(insertion, owners.iter().any(came_before));
            ImportedLink { link, outcome }
        });
        Ok(in_order(imported, refused))
    }

    /// Returns the result for a link that the same request brought before.
    fn imported_before(&self, link: Link, made: &mut Made) -> ImportedLink {
        let again = link.request.map(|request| self.made_again(&request, made));
        let outcome = match again {
            Some(Ok(Some(stored))) => {
                let key = stored.key.clone();
                let seen = self.may_read().map_or(Link { key, ..link }, |()| stored);
                let outcome = ImportOutcome::Stored;
                return ImportedLink {
                    link: seen,
                    outcome,
                };
            }
            Some(Err(Error::KeyReused)) => ImportOutcome::KeyReused,
            Some(Ok(None) | Err(_)) | None => ImportOutcome::LinkDeleted,
        };
        ImportedLink { link, outcome }
    }

    /// Returns those of the identities that a link has.
    ///
    /// # Errors
    /// The store failed.
    pub async fn ids_in_use(&self, ids: &BTreeSet<LinkId>) -> Result<BTreeSet<LinkId>, Error> {
        let holders = self.parts.store.holders(&BTreeSet::new(), ids).await?;
        Ok(holders.into_iter().map(|link| link.id).collect())
    }

    /// Checks an import, and returns the result that each link would have. Nothing is stored.
    ///
    /// # Errors
    /// As for [`LinkWriter::import`].
    pub async fn validate_import(
        &self,
        batch: Vec<ImportLink>,
    ) -> Result<Vec<ImportedLink>, Error> {
        self.permit(LinkService::IMPORT)?;
        let now = self.now();
        let Ready { links, refused } = self.ready(batch, now, Hashing::LeftOut).await?;
        let mut rehearsal = self.rehearsal_of(&links).await?;
        let taken = links.into_iter().map(|link| ImportedLink {
            outcome: rehearsal.take_complete(&link),
            link,
        });
        Ok(in_order(taken, refused))
    }

    async fn ready(
        &self,
        mut batch: Vec<ImportLink>,
        now: UnixMillis,
        hashing: Hashing,
    ) -> Result<Ready, Error> {
        for new in &mut batch {
            new.domain = self.domains().meant(mem::take(&mut new.domain))?;
            let (tags, id) = (&new.content.tags, new.id.as_ref());
            self.reach.permit_new(&new.domain, tags, id)?;
        }
        self.screen_import(&mut batch).await;
        for imported in &mut batch {
            let case = self.domains().case_in(&imported.domain);
            if let Some(slug) = &mut imported.slug {
                *slug = case.canonical(slug).into_owned();
            }
        }
        let named = batch.iter().filter_map(|new| {
            let slug = new.slug.clone()?;
            Some(LinkKey::new(new.domain.clone(), slug))
        });
        let mut used: HashSet<LinkKey> = named.collect();
        let mut ready = Ready::default();
        for (index, mut draft) in batch.into_iter().enumerate() {
            let slug = match draft.slug.take() {
                Some(slug) => slug,
                None => self.unused_slug(&draft.domain, &mut used).await?,
            };
            let password = match (draft.password.take(), hashing) {
                (Some(password), Hashing::Done) => {
                    Some(self.parts.passwords.adopt(password).await?)
                }
                (Some(_), Hashing::LeftOut) => Some(not_hashed()),
                (None, _) => None,
            };
            let request = draft.asked.take().map(|asked| self.digests(&asked));
            let link = Link {
                request,
                ..self.complete(draft, slug, password, now)
            };
            match link.check_circles(None, &self.own_addresses) {
                Ok(()) => ready.links.push(link),
                Err(fault) => {
                    let outcome = ImportOutcome::Forwarding(fault);
                    ready.refused.push((index, ImportedLink { link, outcome }));
                }
            }
        }
        Ok(ready)
    }

    /// Returns a slug that no link has, stored or in this import. If another caller takes
    /// it in between, the link is skipped like any other.
    async fn unused_slug(
        &self,
        domain: &DomainName,
        used: &mut HashSet<LinkKey>,
    ) -> Result<Slug, Error> {
        for collisions in 0.. {
            let key = LinkKey::new(domain.clone(), self.generate_slug(collisions));
            let free = self.parts.store.find(&key).await?.is_none();
            if free && used.insert(key.clone()) {
                return Ok(key.slug);
            }
        }
        unreachable!("slugs become longer until one is free")
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{
        FollowedLink, ImportedPassword, LinkId, Password, PasswordForm, PasswordHash, SlugCase,
        ports::LinkStore,
    };
    use std::sync::Arc;

    use slugline_testkit::{
        NOON, SeededRandom, assert_matches, destination, key, link, seconds, slug, with,
    };

    use super::*;
    use crate::links::fixture::{demonstration, fixture, fixture_with};

    fn import(text: &str) -> ImportLink {
        ImportLink {
            slug: Some(slug(text)),
            ..ImportLink::leading_to(destination("https://example.com/"))
        }
    }

    fn outcomes(imported: &[ImportedLink]) -> Vec<(&str, ImportOutcome)> {
        imported
            .iter()
            .map(|imported| (imported.link.key.slug.as_str(), imported.outcome.clone()))
            .collect()
    }

    #[tokio::test]
    async fn active_links_stay_and_expired_ones_give_way() {
        let active = link("active").build();
        let expired = link("expired").expires(0).build();
        let fixture = fixture().holding(&active).await.holding(&expired).await;
        assert!(!fixture.leads("new").await);

        let mut past = import("past");
        past.content.expires_at = Some(seconds(-5));
        let mut taken = import("taken-id");
        taken.id = Some(active.id.clone());
        let mut elsewhere = import("ACTIVE");
        elsewhere.content.destination = destination("https://example.com/elsewhere");
        let batch = vec![
            elsewhere,
            import("expired"),
            import("New"),
            import("new"),
            past,
            taken,
        ];
        let imported = fixture.links.import(batch).await.unwrap();
        assert_eq!(
            outcomes(&imported),
            [
                ("active", ImportOutcome::Skipped),
                ("expired", ImportOutcome::Stored),
                ("new", ImportOutcome::Stored),
                ("new", ImportOutcome::CameBefore),
                ("past", ImportOutcome::Stored),
                ("taken-id", ImportOutcome::IdTaken),
            ]
        );
        let stored = fixture.store.find(&key("new")).await.unwrap().unwrap();
        assert_eq!(stored, imported[2].link);
        assert_eq!((stored.created_at, stored.updated_at), (NOON, NOON));
        assert_eq!(stored.id.as_str().len(), 36);
        let resolved = fixture.resolver.find(&key("new")).await.unwrap();
        let stored = FollowedLink::from(stored);
        assert_eq!(resolved.as_deref(), Some(&stored), "the memory was cleared");
    }

    #[tokio::test]
    async fn a_link_that_leads_in_circles_is_left_out_alone() {
        let fixture = fixture().seen_at("https://sl.example");
        let mut circle = import("circle");
        circle.content.destination = destination("https://sl.example/Circle");
        let batch = vec![import("before"), circle, import("after")];
        let checked = fixture.links.validate_import(batch.clone()).await;
        assert!(!fixture.leads("before").await);
        let imported = fixture.links.import(batch).await;
        for outcome in [checked, imported].map(Result::unwrap) {
            let [before, refused, after] = outcome.as_slice() else {
                panic!("{outcome:?}");
            };
            for (link, slug) in [(before, "before"), (after, "after")] {
                assert_eq!(link.outcome, ImportOutcome::Stored);
                assert_eq!(link.link.key, key(slug));
            }
            let ImportOutcome::Forwarding(fault) = &refused.outcome else {
                panic!("{refused:?}");
            };
            assert_eq!(
                (fault.path.as_str(), &refused.link.key),
                ("url", &key("circle"))
            );
        }
        assert!(fixture.leads("before").await && fixture.leads("after").await);
        assert!(!fixture.leads("circle").await);
    }

    #[tokio::test]
    async fn what_the_export_says_is_kept() {
        let fixture = fixture();
        let sink =
            "sink-pwd:v1:1:AAAAAAAAAAAAAAAAAAAAAA:0mw6xp-eFNAZZprz8ndsX6WoyuMc8-sYmj5jUGoN1kE:eA";
        let mut hashed = import("hashed");
        hashed.id = LinkId::parse("x7").ok();
        hashed.created_at = Some(seconds(-9));
        hashed.updated_at = Some(seconds(-8));
        hashed.password = ImportedPassword::parse(sink).ok();
        let mut plain = import("plain");
        plain.password = Password::parse("pw").map(ImportedPassword::Plain).ok();
        fixture.links.import(vec![hashed, plain]).await.unwrap();

        let stored = fixture.store.find(&key("hashed")).await.unwrap().unwrap();
        assert_eq!(stored.id.as_str(), "x7");
        assert_eq!(stored.created_at, seconds(-9));
        assert_eq!(stored.updated_at, seconds(-8));
        assert_eq!(stored.password, Some(PasswordHash::new(sink)));
        let plain = fixture.store.find(&key("plain")).await.unwrap().unwrap();
        let hash = plain.password.unwrap();
        assert_eq!(PasswordForm::of(hash.as_str()), Ok(PasswordForm::Argon2id));
    }

    #[tokio::test]
    async fn links_without_a_slug_get_free_ones() {
        let fixture = fixture_with(1, SlugCase::default(), Arc::new(SeededRandom::new(1)))
            .holding(&link("k").build())
            .await;
        let nameless = || with(import("x"), |it| it.slug = None);
        // More links than there are slugs of one character.
        let batch: Vec<ImportLink> = (0..60).map(|_| nameless()).collect();
        let imported = fixture.links.import(batch).await.unwrap();
        let slugs: HashSet<&str> = imported
            .iter()
            .map(|new| new.link.key.slug.as_str())
            .collect();
        assert_eq!(slugs.len(), 60);
        assert!(!slugs.contains("k"));
        let stored = |new: &ImportedLink| new.outcome == ImportOutcome::Stored;
        assert!(imported.iter().all(stored));
    }

    #[tokio::test]
    async fn a_demonstration_and_a_store_that_is_down_take_nothing() {
        let refused = demonstration().links.import(vec![import("a")]).await;
        assert_matches!(refused, Err(Error::PreviewMode(_)));
        let fixture = fixture();
        fixture.file.break_down();
        let failed = fixture.links.import(vec![import("a")]).await;
        assert_matches!(failed, Err(Error::Store(_)));
    }
}
