//! Changes a link: all of it, or some members.

use slugline_domain::{
    AuditNote, AuditedOperation, Change, Link, LinkContent, LinkKey, LinkPatch, Password,
    PasswordHash, Scope, ScreenVerdict, UnixMillis,
    ports::{Update, Version},
};

use super::{ChangeTerms, LinkService, LinkWriter, draft::not_hashed, screen::leads_elsewhere};
use crate::{
    access::{Access, Forbidden},
    caller::SeenLink,
    error::Error,
};

/// New content that replaces the whole content of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditLink {
    /// The link's slug, which cannot be changed.
    pub key: LinkKey,
    /// The change to the password.
    pub password: Change<Password>,
    /// All other members, with none of those that [`ours`](Self#structfield.ours) keeps.
    pub content: LinkContent,
    /// The change to members that clients of Sink do not know and therefore leave out.
    pub ours: LinkPatch,
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
    /// The access rule of [`LinkWriter::edit`] and [`LinkWriter::patch`].
    pub const EDIT: Access = Access::outside_preview(Scope::LinksWrite, Forbidden::Edit);
}

impl LinkWriter {
    /// Replaces the content of a link. Expired links can be edited, which is how a caller
    /// revives one. The warning of an unsafe link stays, unless the content sets that
    /// flag, or the destinations have changed and the screen finds the new ones harmless.
    /// Equal content changes nothing.
    ///
    /// # Errors
    /// Preview mode, the expiry is not in the future, no link has the slug, another
    /// caller changed the link at the same time, or the store failed.
    pub async fn edit(&self, edit: EditLink) -> Result<EditedLink, Error> {
        self.edit_as(edit, &ChangeTerms::default()).await
    }

    /// As [`LinkWriter::edit`], on terms.
    ///
    /// # Errors
    /// As for [`LinkWriter::edit`], the link is another version than the change is meant for, or
    /// it would lead visitors in circles.
    pub async fn edit_as(&self, edit: EditLink, terms: &ChangeTerms) -> Result<EditedLink, Error> {
        self.permit(LinkService::EDIT)?;
        let precondition = &terms.precondition;
        if !terms.validate_only {
            self.spend(1)?;
        }
        self.check_expiry(edit.content.expires_at)?;
        let password = self.hash_change(edit.password, terms).await?;
        let before = self.get(&edit.key).await?;
        precondition.check(&before, self)?;
        let mut content = edit.content;
        content.keep_ours_of(&before.content);
        edit.ours.apply(&mut content);
        self.reach
            .permit_change(&before.content.tags, &content.tags)?;
        if content.flagged_unsafe.is_none() {
            content.flagged_unsafe = self.flag_after(&before.content, &content).await;
        }
        let mut link = Link {
            content,
            ..before.clone()
        };
        password.apply(&mut link.password);
        match self.change_on(terms, link, &before).await {
            Ok(link) => Ok(self.edited(before, link)),
            Err(Error::Outdated(key)) => {
                // A caller who named a version learns which version is there now.
                precondition.check(&self.get(&edit.key).await?, self)?;
                Err(Error::Outdated(key))
            }
            Err(other) => Err(other),
        }
    }

    /// Changes some members of a link and keeps the others, a warning included. Dangerous
    /// new destinations add a warning. When another caller changes the link at the same
    /// time, the members are applied to the result of that change. Members that are so already
    /// change nothing.
    ///
    /// # Errors
    /// Preview mode, the expiry is not in the future, no link has the slug, other callers
    /// changed the link again and again, or the store failed.
    pub async fn patch(&self, key: &LinkKey, patch: LinkPatch) -> Result<SeenLink, Error> {
        let edited = self.patch_as(key, patch, &ChangeTerms::default()).await?;
        Ok(edited.link)
    }

    /// As [`LinkWriter::patch`], on terms.
    ///
    /// # Errors
    /// As for [`LinkWriter::patch`], the link is another version than the change is meant for, or
    /// it would lead visitors in circles.
    pub async fn patch_as(
        &self,
        key: &LinkKey,
        patch: LinkPatch,
        terms: &ChangeTerms,
    ) -> Result<EditedLink, Error> {
        /// Each attempt loses only to a change that succeeded.
        const ATTEMPTS: usize = 5;

        self.permit(LinkService::EDIT)?;
        if !terms.validate_only {
            self.spend(1)?;
        }
        if let Change::Set(expires_at) = &patch.expires_at {
            self.check_expiry(Some(*expires_at))?;
        }
        let password = self.hash_change(patch.password.clone(), terms).await?;
        let mut attempt = 1;
        let mut judged: Option<(LinkContent, ScreenVerdict)> = None;
        loop {
            let before = self.get(key).await?;
            // The change is stored only if the link is still the one checked here.
            terms.precondition.check(&before, self)?;
            let mut link = before.clone();
            patch.clone().apply(&mut link.content);
            let content = &mut link.content;
            self.reach
                .permit_change(&before.content.tags, &content.tags)?;
            if patch.flagged_unsafe == Change::Keep && leads_elsewhere(&before.content, content) {
                let verdict = match &judged {
                    Some((seen, verdict)) if !leads_elsewhere(seen, content) => *verdict,
                    Some(_) | None => self.judge(content).await,
                };
                if verdict == ScreenVerdict::Dangerous {
                    content.flagged_unsafe = Some(true);
                }
                judged = Some((content.clone(), verdict));
            }
            password.clone().apply(&mut link.password);
            match self.change_on(terms, link, &before).await {
                Err(Error::Outdated(_)) if attempt < ATTEMPTS => attempt += 1,
                outcome => return outcome.map(|link| self.edited(before, link)),
            }
        }
    }

    fn edited(&self, before: Link, link: Link) -> EditedLink {
        EditedLink {
            before: self.seen(before),
            link: self.seen(link),
        }
    }

    /// Checks the link as a whole, and stores it unless the terms say otherwise.
    async fn change_on(
        &self,
        terms: &ChangeTerms,
        link: Link,
        before: &Link,
    ) -> Result<Link, Error> {
        if terms.validate_only {
            return self.next_version(link, before, self.now());
        }
        self.store_change(link, before).await
    }

    /// Stores a link in place of the version that it was made from. A link that is the same
    /// stays the version that it is, and leaves no line in the audit trail.
    pub(super) async fn store_change(&self, link: Link, before: &Link) -> Result<Link, Error> {
        self.store_next(link, before, self.note(AuditedOperation::LinkEdit))
            .await
    }

    /// As [`Self::store_change`], by any operation.
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

    async fn hash_change(
        &self,
        change: Change<Password>,
        terms: &ChangeTerms,
    ) -> Result<Change<PasswordHash>, Error> {
        Ok(match change {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(_) if terms.validate_only => Change::Set(not_hashed()),
            Change::Set(password) => Change::Set(self.parts.passwords.hash(&password).await?),
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
        Author, ForwardingReason, Tags, Text,
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

    fn edit(text: &str) -> EditLink {
        let content = LinkContent::leading_to(destination("https://example.org/"));
        EditLink {
            key: key(text),
            content,
            password: Change::Keep,
            ours: LinkPatch::default(),
        }
    }

    fn replaced(edited: Result<EditedLink, Error>) -> Link {
        let seen = edited.unwrap().link;
        seen.whole().expect("seen by the operator").clone()
    }

    fn on(precondition: Precondition) -> ChangeTerms {
        with(ChangeTerms::default(), |it| it.precondition = precondition)
    }

    #[tokio::test]
    async fn an_edit_replaces_all_but_identity_creation_and_password() {
        let old = link("docs").comment("c").tags(&["a"]).password("hash");
        let old = old.expires(-5).build();
        let fixture = fixture().holding(&old).await;
        let new = replaced(fixture.links.edit(edit("DOCS")).await);
        assert_eq!((&new.id, new.created_at), (&old.id, old.created_at));
        assert_eq!(new.password, old.password);
        assert_eq!(new.content, edit("docs").content);
        assert_eq!(new.revision, old.revision.next());
        assert_eq!(fixture.links.get(&new.key).await.unwrap(), new);
    }

    #[tokio::test]
    async fn a_replacing_client_that_does_not_know_the_life_of_a_link_keeps_it() {
        let mut old = link("docs").starts(5).max_visits(3).visits_used(1).build();
        old.content.life.expired_url = Some(destination("https://over.example/"));
        let fixture = fixture().holding(&old).await;
        let kept = replaced(fixture.links.edit(edit("docs")).await);
        assert_eq!(kept.content.life, old.content.life);
        assert_eq!(kept.visits_left(), Some(2));
        let clear = with(edit("docs"), |it| it.ours.max_visits = Change::Clear);
        let cleared = replaced(fixture.links.edit(clear).await);
        assert_eq!(cleared.visits_left(), None);
    }

    #[tokio::test]
    async fn a_change_that_contradicts_what_stays_is_refused() {
        let old = link("docs").starts(50).build();
        let fixture = fixture().holding(&old).await;
        let end = Change::Set(seconds(50));
        let patched = fixture.patch(|it| it.expires_at = end).await;
        assert_matches!(patched, Err(Error::Life(_)));
        let mut replaced = edit("docs");
        replaced.content.expires_at = Some(seconds(50));
        assert_matches!(fixture.links.edit(replaced).await, Err(Error::Life(_)));
    }

    #[tokio::test]
    async fn quick_changes_are_told_apart_and_do_not_run_ahead_of_the_clock() {
        let fixture = fixture().holding(&link("docs").build()).await;
        for change in 1..=5 {
            let outdated = fixture.links.get(&key("docs")).await.unwrap();
            let cloaking = Change::Set(change % 2 == 1);
            let new = fixture.patch(|it| it.cloaking = cloaking).await.unwrap();
            assert_eq!((new.updated_at, new.revision.get()), (NOON, change));
            let late = fixture.links.store_change(new, &outdated).await;
            assert_matches!(late, Err(Error::Outdated(_)));
        }
    }

    #[tokio::test]
    async fn a_password_is_kept_cleared_or_hashed_anew() {
        let old = link("docs").password("hash").build();
        let fixture = fixture().holding(&old).await;
        let password = Change::Set(Password::parse("new").unwrap());
        let set = with(edit("docs"), |it| it.password = password);
        let hash = replaced(fixture.links.edit(set).await).password.unwrap();
        assert!(hash.as_str().starts_with("$argon2id$"));
        let cleared = with(edit("docs"), |it| it.password = Change::Clear);
        let cleared = fixture.links.edit(cleared).await;
        assert_eq!(replaced(cleared).password, None);
    }

    #[tokio::test]
    async fn a_change_meant_for_another_version_is_refused_with_the_link_as_it_is() {
        let read = link("docs").comment("c").build();
        let fixture = fixture().holding(&read).await;
        let meant = on(Precondition::OneOf(vec![Version::of(&read)]));
        let cloak = with(LinkPatch::default(), |it| it.cloaking = Change::Set(true));
        let (links, docs) = (&fixture.links, key("docs"));
        let patched = links.patch_as(&key("DOCS"), cloak.clone(), &meant).await;
        let patched = replaced(patched);
        for refused in [
            links.patch_as(&docs, cloak.clone(), &meant).await,
            links.edit_as(edit("docs"), &meant).await,
        ] {
            let Err(Error::PreconditionFailed { key, current }) = refused else {
                panic!("{refused:?}");
            };
            assert_eq!(key, docs);
            assert_eq!(current, Some(SeenLink::Whole(patched.clone().into())));
        }
        assert_eq!(links.get(&docs).await.unwrap(), patched);
        let uncloak = with(LinkPatch::default(), |it| it.cloaking = Change::Clear);
        let exists = on(Precondition::Exists);
        let again = links.patch_as(&docs, uncloak, &exists).await;
        assert_eq!(replaced(again).revision, patched.revision.next());
        let missing = links.edit_as(edit("nope"), &meant).await;
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
        let as_it_is = on(Precondition::OneOf(vec![Version::of(&old)]));
        for patch in [LinkPatch::default(), same.clone()] {
            let patched = fixture.links.patch_as(&old.key, patch, &as_it_is).await;
            assert_eq!(replaced(patched), old);
        }
        let equal = with(edit("docs"), |it| it.content.clone_from(&old.content));
        let equal = fixture.links.edit_as(equal, &as_it_is).await;
        assert_eq!(replaced(equal), old);
        assert_eq!(lines().await, before);

        fixture.links.edit(edit("docs")).await.unwrap();
        assert_eq!(lines().await, before + 1);
        let late = fixture.links.patch_as(&old.key, same, &as_it_is).await;
        assert_matches!(late, Err(Error::PreconditionFailed { .. }));
    }

    #[tokio::test]
    async fn a_change_that_is_only_checked_shows_the_next_version_and_stores_nothing() {
        let old = link("docs").comment("c").build();
        let fixture = fixture().holding(&old).await;
        let check = with(ChangeTerms::default(), |it| it.validate_only = true);
        let mut whole_change = edit("docs");
        whole_change.password = Change::Set(Password::parse("new").unwrap());
        let shown = replaced(fixture.links.edit_as(whole_change, &check).await);
        assert_eq!(shown.revision, old.revision.next());
        assert!(shown.password.is_some());
        let patch = with(LinkPatch::default(), |it| it.comment = Change::Clear);
        let shown = replaced(fixture.links.patch_as(&old.key, patch, &check).await);
        assert_eq!(shown.content.comment, None);
        let late = with(LinkPatch::default(), |it| it.expires_at = Change::Set(NOON));
        let late = fixture.links.patch_as(&old.key, late, &check).await;
        assert_matches!(late, Err(Error::ExpiryNotInFuture { .. }));
        let meant = Precondition::OneOf(vec![Version::of(&shown)]);
        let other = with(on(meant), |it| it.validate_only = true);
        let other = fixture.links.edit_as(edit("docs"), &other).await;
        assert_matches!(other, Err(Error::PreconditionFailed { .. }));
        assert_eq!(fixture.links.get(&old.key).await.unwrap(), old);
        let lines = fixture.store.lines(&newest_lines(9)).await.unwrap();
        assert_eq!(lines.len(), 1, "that of the link which was there before");
    }

    #[tokio::test]
    async fn what_stays_counts_when_a_change_would_lead_visitors_in_circles() {
        let mut old = link("docs").to("https://sl.example/docs/deep").build();
        let fixture = fixture().holding(&old).await.seen_at("https://sl.example");
        let terms = ChangeTerms::default();
        let forwards = Change::Set(true);
        let forward = with(LinkPatch::default(), |it| it.forward_path = forwards);
        let circle = fixture.links.patch_as(&old.key, forward, &terms).await;
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
            let to = destination(to);
            let patch = with(LinkPatch::default(), |it| it.destination = Some(to.clone()));
            let patched = fixture.links.patch_as(&old.key, patch, &terms).await;
            assert_matches!(patched, Err(Error::Forwarding(_)));
            let mut replaced = edit("docs");
            replaced.content.destination = to;
            let replaced = fixture.links.edit_as(replaced, &terms).await;
            assert_matches!(replaced, Err(Error::Forwarding(_)));
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
        let links = fixture.links.seen_at("https://sl.example");
        let links = links.by(token("writer"), Author::operator());
        let terms = with(ChangeTerms::default(), |it| it.validate_only = true);
        let forwards = Change::Set(true);
        let forward = with(LinkPatch::default(), |it| it.forward_path = forwards);
        let circle = links.patch_as(&old.key, forward, &terms).await;
        let Err(Error::Forwarding(fault)) = circle else {
            panic!("{circle:?}");
        };
        assert_eq!(fault, ForwardingReason::Hidden.of("forwardPath"));
        for terms in [terms, ChangeTerms::default()] {
            let edited = links.edit_as(edit("docs"), &terms).await.unwrap();
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
        fixture.links.edit(edit("docs")).await.unwrap();
        let seen = fixture.resolver.find(&key("docs")).await.unwrap().unwrap();
        assert_eq!(seen.destination(), "https://example.org/");
    }

    #[tokio::test]
    async fn what_is_missing_or_expires_in_the_past_is_refused() {
        let fixture = fixture().holding(&link("docs").build()).await;
        let edited = fixture.links.edit(edit("nope")).await;
        assert_matches!(edited, Err(Error::LinkNotFound(_)));
        let (nope, nothing) = (key("nope"), LinkPatch::default());
        let patched = fixture.links.patch(&nope, nothing).await;
        assert_matches!(patched, Err(Error::LinkNotFound(_)));
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
    async fn an_outdated_version_is_not_written_over() {
        let fixture = fixture().holding(&link("docs").build()).await;
        let before = fixture.links.get(&key("docs")).await.unwrap();
        fixture.links.edit(edit("docs")).await.unwrap();
        let mut mine = before.clone();
        mine.content.destination = destination("https://lost.example/");
        let refused = fixture.links.store_change(mine, &before).await;
        assert_matches!(refused, Err(Error::Outdated(_)));
        let kept = fixture.links.get(&key("docs")).await.unwrap();
        assert_eq!(kept.content.destination.as_str(), "https://example.org/");
    }
}
