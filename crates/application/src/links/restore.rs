//! Brings back a deleted link, or an older version of a link that is there.

use slugline_domain::{
    AuditedOperation, Change, DomainName, FormerVersion, Link, LinkId, LinkKey, LinkVersions,
    OutOfReach, Revision, Scope, Slug, UnixSeconds, ports::Insertion,
};

use super::{LinkService, LinkWriter, writer::Attempts};
use crate::{
    access::{Access, Forbidden},
    caller::SeenLink,
    error::{Error, RestoreFault},
};

/// A request to bring a link back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreLink {
    /// The link.
    pub id: LinkId,
    /// The version; the last one of a deleted link and the one before the present one of another
    /// when absent.
    pub version: Option<Revision>,
    /// Another slug for a deleted link.
    pub slug: Option<Slug>,
    /// Another domain for a deleted link.
    pub domain: Option<DomainName>,
    /// The change to the expiry of the version.
    pub expires_at: Change<UnixSeconds>,
}

const RESTORED: AuditedOperation = AuditedOperation::LinkRestore;

impl LinkService {
    /// The access rule of [`LinkWriter::restore`].
    pub const RESTORE: Access = Access::outside_preview(Scope::LinksWrite, Forbidden::History);
}

impl LinkWriter {
    /// Brings back a deleted link with all that it had, or gives a link the content and the
    /// password of an older version. Either way that is a new version. The visits that were
    /// counted stay counted.
    ///
    /// # Errors
    /// Preview mode, there is no such link or version, the version cannot be brought back, the
    /// slug is taken, other callers changed the link again and again, or the store failed.
    pub async fn restore(&self, restore: &RestoreLink) -> Result<SeenLink, Error> {
        self.permit(LinkService::RESTORE)?;
        self.spend(1)?;
        let mut attempts = Attempts::default();
        loop {
            let (_, versions) = self.versions(&restore.id).await?;
            let restored = match (&versions.current, versions.former.first()) {
                (Some(current), _) => self.return_to(current, &versions, restore).await,
                (None, Some(last)) => self.bring_back(last, &versions, restore).await,
                (None, None) => Err(RestoreFault::NoVersion.into()),
            };
            if attempts.end_with(&restored) {
                return restored;
            }
        }
    }

    /// Gives a link the content of an older version.
    async fn return_to(
        &self,
        current: &Link,
        versions: &LinkVersions,
        restore: &RestoreLink,
    ) -> Result<SeenLink, Error> {
        self.check_keeps_key(&current.key, restore)?;
        let version = match (restore.version, versions.former.first()) {
            (Some(revision), _) => versions.version(revision),
            // The same request may have come before, so it does not undo itself.
            (None, Some(last)) if last.end.operation == RESTORED.as_str() => Some(current),
            (None, last) => last.map(|last| &last.link),
        };
        let mut link = self.wanted(version, restore)?;
        link = Link {
            content: link.content,
            password: link.password,
            ..current.clone()
        };
        if link == *current {
            return Ok(self.seen(link));
        }
        self.check_kept_expiry(&link)?;
        link.check_circles(None, &self.own_addresses)
            .map_err(|fault| RestoreFault::WrongVersion(self.told(fault)))?;
        self.admit(&mut link, current).await?;
        let note = self.note(RESTORED);
        let restored = self.store_next(link, current, note).await?;
        Ok(self.seen(restored))
    }

    /// Stores a deleted link again.
    async fn bring_back(
        &self,
        last: &FormerVersion,
        versions: &LinkVersions,
        restore: &RestoreLink,
    ) -> Result<SeenLink, Error> {
        let note = self.note(RESTORED);
        let revision = restore.version.unwrap_or(last.link.revision);
        let mut link = self.wanted(versions.version(revision), restore)?;
        let end = last.link.content.expires_at;
        let was_over = end.is_some_and(|end| end.start() <= last.end.at);
        if !(was_over && revision == last.link.revision) {
            self.check_kept_expiry(&link)?;
        }
        let last = &last.link;
        link = Link {
            key: self.restored_key(&last.key, restore)?,
            content: link.content,
            password: link.password,
            revision: last.revision.next(),
            updated_at: note.at.second(),
            ..last.clone()
        };
        link.check_circles(None, &self.own_addresses)
            .map_err(|fault| RestoreFault::WrongKey(self.told(fault)))?;
        self.admit(&mut link, last).await?;
        self.screen_new(&mut link.content).await;
        link.content.check()?;
        let history = &self.parts.history;
        let stored = history.bring_back(&self.reach, &link, last.revision, &note);
        let stored = stored.await;
        let is_stored = matches!(stored, Ok(Some(Insertion::Stored)));
        self.parts.resolver.announce(&link.key, &note, is_stored);
        match stored? {
            Some(Insertion::Stored) => Ok(self.seen(link)),
            Some(Insertion::SlugTaken) => Err(self.slug_taken(link.key).await),
            Some(Insertion::NoDomain) => Err(RestoreFault::NoDomain(link.key.domain).into()),
            // Another caller brought it back.
            Some(Insertion::IdTaken | Insertion::Repeated) | None => Err(Error::Outdated(link.key)),
        }
    }

    /// Checks that the caller names no other key for a link that is there.
    fn check_keeps_key(&self, key: &LinkKey, restore: &RestoreLink) -> Result<(), Error> {
        if let Some(domain) = &restore.domain
            && self.domains().meant(domain.clone())? != key.domain
        {
            return Err(RestoreFault::KeepsDomain(key.clone()).into());
        }
        let case = self.domains().case_in(&key.domain);
        match &restore.slug {
            Some(slug) if case.canonical(slug) != case.canonical(&key.slug) => {
                Err(RestoreFault::KeepsKey(key.clone()).into())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The key of a deleted link that comes back.
    fn restored_key(&self, last: &LinkKey, restore: &RestoreLink) -> Result<LinkKey, Error> {
        let domain = if let Some(domain) = &restore.domain {
            self.domains().meant(domain.clone())?
        } else {
            let former = &last.domain;
            let meant = self.domains().meant(former.clone());
            meant.map_err(|_| RestoreFault::NoDomain(former.clone()))?
        };
        if let Some(binding) = self.reach.binding()
            && !self.reach.reaches(&domain)
        {
            return Err(OutOfReach::Domain(binding.domains().clone()).into());
        }
        let key = match &restore.slug {
            Some(slug) => LinkKey::new(domain, slug.clone()),
            None if domain == last.domain => return Ok(last.clone()),
            // Visitors of another domain may not find the spelling of this one.
            None => LinkKey::new(domain, last.slug.clone()),
        };
        Ok(self.domains().canonical(&key).into_owned())
    }

    /// The version with the expiry that it is to have. One that the caller sets is in the future.
    fn wanted(&self, version: Option<&Link>, restore: &RestoreLink) -> Result<Link, Error> {
        let mut link = version.ok_or(RestoreFault::NoVersion)?.clone();
        if let Change::Set(expires_at) = restore.expires_at {
            self.check_expiry(Some(expires_at))?;
        }
        let change = restore.expires_at.clone();
        change.apply(&mut link.content.expires_at);
        Ok(link)
    }

    /// Checks that the expiry, if it is that of the version, has not passed.
    fn check_kept_expiry(&self, link: &Link) -> Result<(), Error> {
        match self.check_expiry(link.content.expires_at) {
            Err(Error::ExpiryNotInFuture { expires_at, .. }) => {
                Err(RestoreFault::Expired(expires_at).into())
            }
            checked => checked,
        }
    }

    /// Checks that the caller may make this change, and warns of destinations as an edit does.
    async fn admit(&self, link: &mut Link, before: &Link) -> Result<(), Error> {
        let content = &mut link.content;
        self.reach
            .permit_change(&before.content.tags, &content.tags)?;
        if content.flagged_unsafe.is_none() {
            let mut judged = None;
            let flag = self.flag_after(&before.content, content, true, &mut judged);
            content.flagged_unsafe = flag.await;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{
        Author, Domain, ForwardingReason, Host, MaxVisits, SlugCase,
        ports::{AuditTrail, LinkStore, Taking},
    };
    use slugline_testkit::{
        ALL, NOON, NOTE, assert_matches, destination, key, link, newest_lines, seconds, slug, with,
    };

    use super::*;
    use crate::{
        ListTrash, Precondition, WhichLink,
        budgets::fixture::token,
        links::fixture::{Fixture, demonstration, fixture},
    };

    fn restore(id: &str) -> RestoreLink {
        RestoreLink {
            id: LinkId::parse(id).unwrap(),
            version: None,
            slug: None,
            domain: None,
            expires_at: Change::Keep,
        }
    }

    async fn back(fixture: &Fixture, restore: &RestoreLink) -> Result<Link, Error> {
        let seen = fixture.links.restore(restore).await?;
        Ok(seen.whole().expect("seen by the operator").clone())
    }

    /// The return of the link `docs`, with a change.
    fn but(change: impl FnOnce(&mut RestoreLink)) -> RestoreLink {
        with(restore("id-docs"), change)
    }

    async fn comment(fixture: &Fixture, text: &str) -> Link {
        let text = Change::Set(text.parse().unwrap());
        fixture.patch(|it| it.comment = text).await.unwrap()
    }

    async fn delete(fixture: &Fixture, text: &str) {
        let deleted = fixture
            .links
            .delete(&key(text), &Precondition::None)
            .await
            .unwrap();
        assert!(deleted.is_some());
    }

    #[tokio::test]
    async fn the_last_change_is_undone_and_a_version_is_named_by_its_number() {
        let first = link("docs").comment("a").password("hash").build();
        let fixture = fixture().holding(&first).await;
        comment(&fixture, "b").await;
        let third = comment(&fixture, "c").await;
        let undone = back(&fixture, &restore("id-docs")).await.unwrap();
        assert_eq!(undone.content.comment, "b".parse().ok());
        assert_eq!(undone.revision, third.revision.next());
        assert_eq!(undone.password, first.password);
        let of_first = with(restore("id-docs"), |it| it.version = Some(first.revision));
        let again = back(&fixture, &of_first).await.unwrap();
        assert_eq!(again.content, first.content);
        assert_eq!(again.revision, undone.revision.next());
        let same = back(&fixture, &of_first).await.unwrap();
        assert_eq!(same, again, "it is so already");
        let lines = fixture.store.lines(&newest_lines(1)).await.unwrap();
        assert_eq!(lines[0].operation, "link.restore");
        let ninth = but(|it| it.version = Some(Revision::new(9)));
        let unknown = back(&fixture, &ninth).await;
        assert_matches!(unknown, Err(Error::Restore(RestoreFault::NoVersion)));
        let nobody = back(&fixture, &restore("nobody")).await;
        assert_matches!(nobody, Err(Error::IdNotFound(_)));
        let renamed = back(&fixture, &but(|it| it.slug = Some(slug("b")))).await;
        assert_matches!(renamed, Err(Error::Restore(RestoreFault::KeepsKey(_))));
        let host = Host::parse("go.example").unwrap();
        fixture.name(Domain::new(host.clone())).await;
        let go = DomainName::named(host);
        let moved = back(&fixture, &but(|it| it.domain = Some(go))).await;
        assert_matches!(moved, Err(Error::Restore(RestoreFault::KeepsDomain(_))));
        let mut own = but(|it| it.slug = Some(slug("DOCS")));
        own.domain = Some(DomainName::DEFAULT);
        assert!(back(&fixture, &own).await.is_ok());
    }

    #[tokio::test]
    async fn a_deleted_link_comes_back_with_its_visits_at_once() {
        let first = link("docs").max_visits(3).build();
        let fixture = fixture().holding(&first).await;
        let taken = fixture.store.take_visit(&first.id, first.revision).await;
        assert_eq!(taken.unwrap(), Taking::Taken);
        delete(&fixture, "docs").await;
        assert!(!fixture.leads("docs").await);
        let page = fixture.links.trash(ListTrash::default()).await.unwrap();
        assert_eq!(page.links.len(), 1);
        let restored = back(&fixture, &restore("id-docs")).await.unwrap();
        assert_eq!(restored.visits_used, 1);
        assert_eq!(restored.revision, first.revision.next());
        assert_eq!(restored.content.life.max_visits, MaxVisits::new(3).ok());
        assert!(fixture.leads("docs").await);
        let page = fixture.links.trash(ListTrash::default()).await.unwrap();
        assert_eq!(page.links, []);
        assert_eq!(fixture.links.get(&key("docs")).await.unwrap(), restored);
    }

    #[tokio::test]
    async fn a_taken_slug_is_refused_with_a_free_one() {
        let fixture = fixture().holding(&link("docs").build()).await;
        delete(&fixture, "docs").await;
        let other = link("docs").id("other").build();
        fixture.store.insert(&ALL, &other, &NOTE).await.unwrap();
        let refused = back(&fixture, &restore("id-docs")).await;
        let Err(Error::SlugTaken { free, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(free, Some(key("docs-2")));
        let elsewhere = with(restore("id-docs"), |it| it.slug = Some(slug("DOCS-2")));
        assert_eq!(back(&fixture, &elsewhere).await.unwrap().key, key("docs-2"));
        let nowhere = but(|it| it.domain = DomainName::parse("no.example").ok());
        delete(&fixture, "docs-2").await;
        assert_matches!(back(&fixture, &nowhere).await, Err(Error::NoDomain(_)));
    }

    #[tokio::test]
    async fn a_link_that_comes_back_to_another_domain_has_a_slug_that_visitors_find_there() {
        let go = Domain::new(Host::parse("go.example").unwrap());
        let go = with(go, |it| it.case = Some(SlugCase::Sensitive));
        let sensitive = link("go.example/Docs").build();
        let fixture = fixture();
        fixture.name(go).await;
        let fixture = fixture.holding(&sensitive).await;
        delete(&fixture, "go.example/Docs").await;
        let mut here = but(|it| it.domain = Some(DomainName::DEFAULT));
        here.id = sensitive.id;
        let other = link("docs").id("other").build();
        fixture.store.insert(&ALL, &other, &NOTE).await.unwrap();
        let refused = back(&fixture, &here).await;
        let Err(Error::SlugTaken { free, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(free, Some(key("docs-2")));
        delete(&fixture, "docs").await;
        assert_eq!(back(&fixture, &here).await.unwrap().key, key("docs"));
        assert!(fixture.leads("docs").await);
    }

    #[tokio::test]
    async fn no_link_comes_back_to_a_key_that_sends_visitors_in_circles() {
        let mut forwarding = link("docs").build();
        forwarding.content.routing.forward_path = Some(true);
        let circle = link("circle").to("https://sl.example/other").build();
        let fixture = fixture().holding(&forwarding).await.holding(&circle).await;
        let fixture = fixture.seen_at("https://sl.example");
        for (text, other) in [("docs", "API"), ("circle", "other")] {
            delete(&fixture, text).await;
            let as_it_was = restore(&format!("id-{text}"));
            let renamed = with(as_it_was.clone(), |it| it.slug = Some(slug(other)));
            let refused = back(&fixture, &renamed).await;
            assert_matches!(refused, Err(Error::Restore(RestoreFault::WrongKey(_))));
            assert!(back(&fixture, &as_it_was).await.is_ok());
        }
    }

    #[tokio::test]
    async fn no_link_becomes_a_version_that_sends_visitors_in_circles() {
        let first = link("docs").to("https://sl.example/docs").build();
        let fixture = fixture().holding(&first).await;
        let elsewhere = Some(destination("https://example.org/"));
        let patched = fixture.patch(|it| it.destination = elsewhere).await;
        patched.unwrap();
        let fixture = fixture.seen_at("https://sl.example");
        let circle = restore("id-docs");
        let refused = back(&fixture, &circle).await;
        let Err(Error::Restore(RestoreFault::WrongVersion(fault))) = refused else {
            panic!("{refused:?}");
        };
        assert_matches!(fault.reason, ForwardingReason::Itself(_));
        // A caller who may not read links is told no destination.
        let writer = fixture.links.by(token("writer"), Author::operator());
        let refused = writer.restore(&circle).await;
        let Err(Error::Restore(RestoreFault::WrongVersion(fault))) = refused else {
            panic!("{refused:?}");
        };
        assert_matches!(fault.reason, ForwardingReason::Hidden);
    }

    #[tokio::test]
    async fn a_version_whose_expiry_has_passed_needs_another_one() {
        let first = link("docs").expires(10).build();
        let fixture = fixture().holding(&first).await;
        let patched = fixture.patch(|it| it.expires_at = Change::Clear).await;
        patched.unwrap();
        fixture.clock.advance_seconds(20);
        let refused = back(&fixture, &restore("id-docs")).await;
        let Err(Error::Restore(RestoreFault::Expired(at))) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(at, seconds(10));
        let later = but(|it| it.expires_at = Change::Set(seconds(99)));
        let restored = back(&fixture, &later).await.unwrap();
        assert_eq!(restored.content.expires_at, Some(seconds(99)));
    }

    #[tokio::test]
    async fn a_link_that_was_expired_when_it_was_deleted_comes_back_so() {
        let over = link("over").expires(-5).build();
        let soon = link("soon").expires(5).build();
        let fixture = fixture().holding(&over).await.holding(&soon).await;
        for text in ["over", "soon"] {
            delete(&fixture, text).await;
        }
        fixture.clock.advance_seconds(10);
        let at = |id, second| {
            let at = Change::Set(seconds(second));
            with(restore(id), |it| it.expires_at = at)
        };
        let refused = back(&fixture, &at("id-over", 9)).await;
        let Err(Error::ExpiryNotInFuture { expires_at, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(expires_at, seconds(9));
        let refused = back(&fixture, &at("id-soon", -9)).await;
        assert_matches!(refused, Err(Error::ExpiryNotInFuture { .. }));
        let restored = back(&fixture, &restore("id-over")).await.unwrap();
        assert_eq!(restored.content, over.content);
        let refused = back(&fixture, &restore("id-soon")).await;
        assert_matches!(refused, Err(Error::Restore(RestoreFault::Expired(_))));
        let without = with(restore("id-soon"), |it| it.expires_at = Change::Clear);
        let restored = back(&fixture, &without).await.unwrap();
        assert_eq!(restored.content.expires_at, None);
    }

    #[tokio::test]
    async fn a_destination_that_is_dangerous_by_now_gets_a_warning() {
        let bad = "https://bad.example/";
        let fixture = fixture().holding(&link("docs").to(bad).build()).await;
        delete(&fixture, "docs").await;
        fixture.screen.flag(bad);
        let restored = back(&fixture, &restore("id-docs")).await.unwrap();
        assert_eq!(restored.content.flagged_unsafe, Some(true));
    }

    #[tokio::test]
    async fn a_purged_link_does_not_come_back() {
        let links = [link("docs").build(), link("gone").build()];
        let fixture = fixture().holding_all(&links).await;
        delete(&fixture, "gone").await;
        let gone = WhichLink::Id(LinkId::parse("id-gone").unwrap());
        let meant = fixture.links.purge_if(&gone, &Precondition::Exists).await;
        assert_matches!(meant, Err(Error::PreconditionFailed { .. }));
        assert!(fixture.leads("docs").await);
        for which in [WhichLink::Key(key("DOCS")), gone] {
            for expected in [true, false] {
                let purged = fixture.links.purge_if(&which, &Precondition::None).await;
                assert_eq!(purged.unwrap(), expected, "{which:?}");
            }
        }
        assert!(!fixture.leads("docs").await);
        for id in ["id-docs", "id-gone"] {
            let refused = back(&fixture, &restore(id)).await;
            assert_matches!(refused, Err(Error::IdNotFound(_)));
        }
        let docs = WhichLink::Key(key("docs"));
        let absent = fixture.links.purge_if(&docs, &Precondition::Exists).await;
        assert_matches!(absent, Err(Error::PreconditionFailed { .. }));
    }

    #[tokio::test]
    async fn a_demonstration_and_a_store_that_is_down_bring_nothing_back() {
        let refused = back(&demonstration(), &restore("id-docs")).await;
        assert_matches!(refused, Err(Error::PreviewMode(_)));
        let fixture = fixture().holding(&link("docs").build()).await;
        delete(&fixture, "docs").await;
        fixture.file.break_down();
        let failed = back(&fixture, &restore("id-docs")).await;
        assert_matches!(failed, Err(Error::Store(_)));
        fixture.file.recover();
        let restored = back(&fixture, &restore("id-docs")).await.unwrap();
        assert_eq!(restored.updated_at, NOON);
    }
}
