//! Changes a link: all of it, or some members.

use slugline_domain::{
    AuditNote, AuditedOperation, Change, Link, LinkKey, LinkPatch, PasswordHash, Scope, UnixMillis,
    ports::{Update, Version},
};

use super::{LinkService, LinkWriter, Precondition, draft::not_hashed, writer::Attempts};
use crate::{
    access::{Access, Forbidden},
    caller::SeenLink,
    error::Error,
};

/// A change of one link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditLink {
    /// The link's slug, which cannot be changed.
    pub key: LinkKey,
    /// The change.
    pub patch: LinkPatch,
    /// The versions that the change is meant for.
    pub precondition: Precondition,
    /// `true` checks everything and stores nothing.
    pub validate_only: bool,
}

impl EditLink {
    /// A change of the link, whichever version it is.
    pub fn new(key: LinkKey, patch: LinkPatch) -> Self {
        Self {
            key,
            patch,
            precondition: Precondition::None,
            validate_only: false,
        }
    }
}

/// A link that was changed, unless it was so already: then it is the same revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedLink {
    /// The link before the change, as far as the caller may see it.
    pub before: SeenLink,
    /// The link after the change, as far as the caller may see it.
    pub link: SeenLink,
}

impl LinkService {
    /// The access rule of [`LinkWriter::edit`].
    pub const EDIT: Access = Access::outside_preview(Scope::LinksWrite, Forbidden::Edit);
}

impl LinkWriter {
    /// Changes a link. Expired links can be edited, which is how a caller revives one. A warning
    /// that the patch keeps is added if the link leads to other destinations and one is dangerous.
    /// When another caller changes the link at the same time, the patch is applied to the result
    /// of that change. Members that are so already change nothing.
    ///
    /// # Errors
    /// Preview mode, the expiry is not in the future, no link has the slug, the link is another
    /// version than the change is meant for, it would lead to itself, other callers changed it
    /// again and again, or the store failed.
    pub async fn edit(&self, edit: &EditLink) -> Result<EditedLink, Error> {
        let patch = &edit.patch;
        self.permit(LinkService::EDIT)?;
        if !edit.validate_only {
            self.spend(1)?;
        }
        if let Change::Set(expires_at) = patch.expires_at {
            self.check_expiry(Some(expires_at))?;
        }
        let password = self.hash_change(edit).await?;
        let mut judged = None;
        let mut attempts = Attempts::default();
        loop {
            let before = self.get(&edit.key).await?;
            // The change is stored only if the link is still the one checked here.
            edit.precondition.check(&before, self)?;
            let mut link = before.clone();
            patch.clone().apply(&mut link.content);
            if patch.flagged_unsafe == Change::Keep {
                let (old, new) = (&before.content, &link.content);
                let flag = self.flag_after(old, new, patch.judges_anew, &mut judged);
                link.content.flagged_unsafe = flag.await;
            }
            password.clone().apply(&mut link.password);
            let changed = self.change(link, &before, edit.validate_only).await;
            if attempts.end_with(&changed) {
                return Ok(EditedLink {
                    before: self.seen(before),
                    link: self.seen(changed?),
                });
            }
        }
    }

    /// Checks that the caller may make this change, and the link as a whole. Stores the link
    /// unless it is only checked.
    pub(super) async fn change(
        &self,
        link: Link,
        before: &Link,
        validate_only: bool,
    ) -> Result<Link, Error> {
        let (old, new) = (&before.content.tags, &link.content.tags);
        self.reach.permit_change(old, new)?;
        if validate_only {
            return self.next_version(link, before, self.now());
        }
        self.store_next(link, before, self.note(AuditedOperation::LinkEdit))
            .await
    }

    /// Stores a link in place of the version that it was made from. A link that is the same
    /// stays the version that it is, and leaves no line in the audit trail.
    pub(super) async fn store_next(
        &self,
        link: Link,
        before: &Link,
        note: AuditNote,
    ) -> Result<Link, Error> {
        let parts = &self.parts;
        let link = self.next_version(link, before, note.at)?;
        if link == *before {
            return Ok(link);
        }
        let outcome = parts.store.update(&link, &Version::of(before), &note).await;
        let is_stored = matches!(outcome, Ok(Update::Stored));
        parts.resolver.announce(&link.key, &note, is_stored);
        match outcome? {
            Update::Stored => Ok(link),
            Update::Outdated => Err(Error::Outdated(link.key)),
        }
    }

    async fn hash_change(&self, edit: &EditLink) -> Result<Change<PasswordHash>, Error> {
        Ok(match &edit.patch.password {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(_) if edit.validate_only => Change::Set(not_hashed()),
            Change::Set(password) => Change::Set(self.parts.passwords.hash(password).await?),
        })
    }

    /// The version of a link after this one, or the same one if nothing changes.
    pub(super) fn next_version(
        &self,
        mut link: Link,
        before: &Link,
        at: UnixMillis,
    ) -> Result<Link, Error> {
        if link != *before {
            // The members that the change left as they were count, too.
            link.check_circles(Some(before), &self.own_addresses)
                .map_err(|fault| self.told(fault))?;
            link.content.check()?;
            link.updated_at = at.second();
            link.revision = before.revision.next();
        }
        Ok(link)
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{
        Author, Countries, Delivery, ForwardingReason, LinkContent, Password, Revision, Routing,
        Tags, Text,
        ports::{AuditTrail, LinkStore},
    };
    use slugline_testkit::{
        NOON, NOTE, assert_matches, destination, full_link, key, link, newest_lines, seconds, with,
    };

    use super::*;
    use crate::{
        budgets::fixture::token,
        links::{Precondition, fixture::fixture},
    };

    /// A replacement by a link that has a destination and nothing else.
    fn replacing(text: &str) -> EditLink {
        let mut patch = LinkPatch::default().replacing();
        patch.destination = Some(destination("https://example.org/"));
        EditLink::new(key(text), patch)
    }

    fn patching(change: impl FnOnce(&mut LinkPatch)) -> EditLink {
        EditLink::new(key("docs"), with(LinkPatch::default(), change))
    }

    fn on(precondition: &Precondition, edit: EditLink) -> EditLink {
        with(edit, |it| it.precondition.clone_from(precondition))
    }

    fn replaced(edited: Result<EditedLink, Error>) -> Link {
        let seen = edited.unwrap().link;
        seen.whole().expect("seen by the operator").clone()
    }

    #[tokio::test]
    async fn an_edit_replaces_all_but_identity_creation_and_password() {
        let old = link("docs").comment("c").tags(&["a"]).password("hash");
        let old = old.expires(-5).build();
        let fixture = fixture().holding(&old).await;
        let new = replaced(fixture.links.edit(&replacing("DOCS")).await);
        assert_eq!((&new.id, new.created_at), (&old.id, old.created_at));
        assert_eq!(new.password, old.password);
        let content = LinkContent::leading_to(destination("https://example.org/"));
        assert_eq!(new.content, content);
        assert_eq!(new.revision, old.revision.next());
        assert_eq!(fixture.links.get(&new.key).await.unwrap(), new);
    }

    #[tokio::test]
    async fn a_replacement_keeps_what_its_sender_may_not_know_and_nothing_else() {
        let old = full_link("docs");
        let fixture = fixture().holding(&old).await;
        let kept = replaced(fixture.links.edit(&replacing("docs")).await);
        let before = &old.content;
        let expected = LinkContent {
            routing: Routing {
                apple: None,
                google: None,
                geo: Countries::default(),
                with_query: None,
                ..before.routing.clone()
            },
            delivery: Delivery {
                cloaking: None,
                proxy: None,
                ..before.delivery
            },
            life: before.life.clone(),
            visits_before: before.visits_before,
            ..LinkContent::leading_to(destination("https://example.org/"))
        };
        assert_eq!(kept.content, expected);
        assert_eq!(kept.password, old.password);
        assert_eq!(kept.visits_left(), old.visits_left());
        let mut clear = replacing("docs");
        clear.patch.max_visits = Change::Clear;
        let cleared = replaced(fixture.links.edit(&clear).await);
        assert_eq!(cleared.visits_left(), None);
    }

    #[tokio::test]
    async fn a_change_that_contradicts_what_stays_is_refused() {
        let old = link("docs").starts(50).build();
        let fixture = fixture().holding(&old).await;
        let end = Change::Set(seconds(50));
        let patched = fixture.patch(|it| it.expires_at = end).await;
        assert_matches!(patched, Err(Error::Life(_)));
        let mut replaced = replacing("docs");
        replaced.patch.expires_at = Change::Set(seconds(50));
        assert_matches!(fixture.links.edit(&replaced).await, Err(Error::Life(_)));
    }

    #[tokio::test]
    async fn quick_changes_are_told_apart_and_do_not_run_ahead_of_the_clock() {
        let fixture = fixture().holding(&link("docs").build()).await;
        for change in 1..=5 {
            let outdated = fixture.links.get(&key("docs")).await.unwrap();
            let cloaking = Change::Set(change % 2 == 1);
            let new = fixture.patch(|it| it.cloaking = cloaking).await.unwrap();
            assert_eq!((new.updated_at, new.revision.get()), (NOON, change));
            let late = fixture.links.change(new, &outdated, false).await;
            assert_matches!(late, Err(Error::Outdated(_)));
        }
    }

    #[tokio::test]
    async fn a_password_is_kept_cleared_or_hashed_anew() {
        let old = link("docs").password("hash").build();
        let fixture = fixture().holding(&old).await;
        let password = Change::Set(Password::parse("new").unwrap());
        let set = with(replacing("docs"), |it| it.patch.password = password);
        let hash = replaced(fixture.links.edit(&set).await).password.unwrap();
        assert!(hash.as_str().starts_with("$argon2id$"));
        let cleared = with(replacing("docs"), |it| it.patch.password = Change::Clear);
        let cleared = fixture.links.edit(&cleared).await;
        assert_eq!(replaced(cleared).password, None);
    }

    #[tokio::test]
    async fn a_change_meant_for_another_version_is_refused_with_the_link_as_it_is() {
        let read = link("docs").comment("c").build();
        let fixture = fixture().holding(&read).await;
        let meant = Precondition::OneOf(vec![Version::of(&read)]);
        let cloak = on(&meant, patching(|it| it.cloaking = Change::Set(true)));
        let (links, docs) = (&fixture.links, key("docs"));
        let in_capitals = with(cloak.clone(), |it| it.key = key("DOCS"));
        let patched = replaced(links.edit(&in_capitals).await);
        for refused in [
            links.edit(&cloak).await,
            links.edit(&on(&meant, replacing("docs"))).await,
        ] {
            let Err(Error::PreconditionFailed { key, current }) = refused else {
                panic!("{refused:?}");
            };
            assert_eq!(key, docs);
            assert_eq!(current, Some(SeenLink::Whole(patched.clone().into(), None)));
        }
        assert_eq!(links.get(&docs).await.unwrap(), patched);
        let uncloak = patching(|it| it.cloaking = Change::Clear);
        let again = links.edit(&on(&Precondition::Exists, uncloak)).await;
        assert_eq!(replaced(again).revision, patched.revision.next());
        let missing = links.edit(&on(&meant, replacing("nope"))).await;
        assert_matches!(missing, Err(Error::LinkNotFound(_)));
    }

    #[tokio::test]
    async fn what_changes_nothing_is_no_version_and_leaves_no_line() {
        let old = link("docs").comment("c").tags(&["a", "b"]).build();
        let fixture = fixture().holding(&old).await;
        let lines = async || {
            let everything = newest_lines(100);
            fixture.store.lines(&everything).await.unwrap().len()
        };
        let before = lines().await;
        fixture.clock.advance_seconds(5);
        let same = LinkPatch {
            comment: Change::Set(Text::parse("c").unwrap()),
            tags: Change::Set(old.content.tags.clone()),
            title: Change::Clear,
            password: Change::Clear,
            ..LinkPatch::default()
        };
        let mut equal = same.clone().replacing();
        equal.destination = Some(old.content.destination.clone());
        equal.password = Change::Keep;
        let as_it_is = Precondition::OneOf(vec![Version::of(&old)]);
        for patch in [LinkPatch::default(), same.clone(), equal] {
            let edit = on(&as_it_is, EditLink::new(old.key.clone(), patch));
            assert_eq!(replaced(fixture.links.edit(&edit).await), old);
        }
        assert_eq!(lines().await, before);

        fixture.links.edit(&replacing("docs")).await.unwrap();
        assert_eq!(lines().await, before + 1);
        let late = on(&as_it_is, EditLink::new(old.key.clone(), same));
        let late = fixture.links.edit(&late).await;
        assert_matches!(late, Err(Error::PreconditionFailed { .. }));
    }

    #[tokio::test]
    async fn a_change_that_is_only_checked_shows_the_next_version_and_stores_nothing() {
        let old = link("docs").comment("c").build();
        let fixture = fixture().holding(&old).await;
        let check = async |mut edit: EditLink| {
            edit.validate_only = true;
            fixture.links.edit(&edit).await
        };
        let mut whole_change = replacing("docs");
        whole_change.patch.password = Change::Set(Password::parse("new").unwrap());
        let shown = replaced(check(whole_change).await);
        assert_eq!(shown.revision, old.revision.next());
        assert!(shown.password.is_some());
        let shown = replaced(check(patching(|it| it.comment = Change::Clear)).await);
        assert_eq!(shown.content.comment, None);
        let late = check(patching(|it| it.expires_at = Change::Set(NOON))).await;
        assert_matches!(late, Err(Error::ExpiryNotInFuture { .. }));
        let meant = Precondition::OneOf(vec![Version::of(&shown)]);
        let other = check(on(&meant, replacing("docs"))).await;
        assert_matches!(other, Err(Error::PreconditionFailed { .. }));
        assert_eq!(fixture.links.get(&old.key).await.unwrap(), old);
        let lines = fixture.store.lines(&newest_lines(9)).await.unwrap();
        assert_eq!(lines.len(), 1, "that of the link which was there before");
    }

    #[tokio::test]
    async fn what_stays_counts_when_a_change_would_lead_visitors_in_circles() {
        let mut old = link("docs").to("https://sl.example/docs/deep").build();
        let fixture = fixture().holding(&old).await.seen_at("https://sl.example");
        let forward = patching(|it| it.forward_path = Change::Set(true));
        let circle = fixture.links.edit(&forward).await;
        assert_matches!(circle, Err(Error::Forwarding(_)));

        let known = Version::of(&old);
        old.content.destination = destination("https://example.com/{path}");
        old.content.routing.forward_path = Some(true);
        old.revision = old.revision.next();
        fixture.store.update(&old, &known, &NOTE).await.unwrap();
        for to in [
            "https://sl.example/docs/deep",
            "https://{1}.example/",
            "https://sl.example/docs",
        ] {
            for mut edit in [patching(|_| {}), replacing("docs")] {
                edit.patch.destination = Some(destination(to));
                let edited = fixture.links.edit(&edit).await;
                assert_matches!(edited, Err(Error::Forwarding(_)));
            }
        }
    }

    #[tokio::test]
    async fn a_link_that_leads_to_itself_already_takes_other_changes() {
        let mut old = link("docs").to("https://sl.example/docs").build();
        old.content.routing.forward_path = Some(true);
        let fixture = fixture().holding(&old).await.seen_at("https://sl.example");
        let comment = Change::Set("c".parse().unwrap());
        let patched = fixture.patch(|it| it.comment = comment).await.unwrap();
        let own = destination("https://sl.example/docs/a");
        let worse = fixture.patch(|it| it.google = Change::Set(own)).await;
        assert_matches!(worse, Err(Error::Forwarding(fault)) if fault.path == "google");
        assert_eq!(fixture.links.get(&old.key).await.unwrap(), patched);
    }

    #[tokio::test]
    async fn who_may_not_read_links_sees_nothing_of_the_one_that_was_changed() {
        let old = link("docs").to("https://sl.example/docs/deep").build();
        let fixture = fixture().holding(&old).await;
        let links = fixture
            .links
            .seen_at(&"https://sl.example".parse().unwrap());
        let links = links.by(token("writer"), Author::operator());
        let forward = patching(|it| it.forward_path = Change::Set(true));
        let Err(Error::Forwarding(fault)) = links.edit(&forward).await else {
            panic!("the link leads to itself");
        };
        assert_eq!(fault, ForwardingReason::Hidden.of("forwardPath"));
        for validate_only in [true, false] {
            let edit = with(replacing("docs"), |it| it.validate_only = validate_only);
            let edited = links.edit(&edit).await.unwrap();
            assert_eq!((edited.before.whole(), edited.link.whole()), (None, None));
            assert_eq!(edited.before.revision().next(), edited.link.revision());
        }
    }

    #[tokio::test]
    async fn the_end_of_a_split_goes_with_the_split() {
        let old = full_link("docs");
        let fixture = fixture().holding(&old).await;
        let patched = fixture.patch(|it| it.split = Change::Clear).await;
        assert_eq!(patched.unwrap().content.routing.split_until, None);
        let end = Change::Set(seconds(5));
        let alone = fixture.patch(|it| it.split_until = end).await;
        assert_matches!(alone, Err(Error::Life(_)));
    }

    #[tokio::test]
    async fn visitors_see_the_change_at_once() {
        let fixture = fixture().holding(&link("docs").build()).await;
        fixture.resolver.find(&key("docs")).await.unwrap();
        fixture.links.edit(&replacing("docs")).await.unwrap();
        let seen = fixture.resolver.find(&key("docs")).await.unwrap().unwrap();
        assert_eq!(seen.destination(), "https://example.org/");
    }

    #[tokio::test]
    async fn what_is_missing_or_expires_in_the_past_is_refused() {
        let fixture = fixture().holding(&link("docs").build()).await;
        let edited = fixture.links.edit(&replacing("nope")).await;
        assert_matches!(edited, Err(Error::LinkNotFound(_)));
        let past = Change::Set(NOON);
        let late = fixture.patch(|it| it.expires_at = past).await;
        assert_matches!(late, Err(Error::ExpiryNotInFuture { .. }));
    }

    #[tokio::test]
    async fn a_patch_changes_only_what_it_names() {
        let old = link("docs").comment("c").tags(&["a", "b"]).password("hash");
        let old = old.build();
        let fixture = fixture().holding(&old).await;
        let new = fixture.patch(|it| {
            it.destination = Some(destination("https://example.org/"));
            it.comment = Change::Clear;
            it.cloaking = Change::Set(true);
        });
        let new = new.await.unwrap();
        assert_eq!(new.content.destination.as_str(), "https://example.org/");
        assert_eq!(new.content.comment, None);
        assert_eq!(new.content.delivery.cloaking, Some(true));
        assert_eq!(new.content.tags, old.content.tags);
        assert_eq!(new.password, old.password);
        let cleared = fixture.patch(|it| it.tags = Change::Clear).await.unwrap();
        assert_eq!(cleared.content.tags, Tags::default());
    }

    #[tokio::test]
    async fn changes_at_the_same_time_are_made_one_after_the_other() {
        let fixture = fixture().holding(&link("docs").build()).await;
        let (links, before) = (&fixture.links, Revision::FIRST);
        let [cloak, proxy] = [
            patching(|it| it.cloaking = Change::Set(true)),
            patching(|it| it.proxy = Change::Set(true)),
        ];
        let replace = replacing("docs");
        let edits = tokio::join!(links.edit(&replace), links.edit(&cloak), links.edit(&proxy));
        let made = [edits.0, edits.1, edits.2].map(|edited| replaced(edited).revision);
        let last = made.into_iter().max().unwrap();
        assert_eq!(last, before.next().next().next());
    }

    #[tokio::test]
    async fn an_outdated_version_is_not_written_over() {
        let fixture = fixture().holding(&link("docs").build()).await;
        let before = fixture.links.get(&key("docs")).await.unwrap();
        fixture.links.edit(&replacing("docs")).await.unwrap();
        let mut mine = before.clone();
        mine.content.destination = destination("https://lost.example/");
        let refused = fixture.links.change(mine, &before, false).await;
        assert_matches!(refused, Err(Error::Outdated(_)));
        let kept = fixture.links.get(&key("docs")).await.unwrap();
        assert_eq!(kept.content.destination.as_str(), "https://example.org/");
    }
}
