//! Creates a link, also only if its slug is free.

use std::collections::BTreeSet;

use slugline_domain::{
    AuditedOperation, Link, LinkStatus, RequestDigests, Scope, Slug, UnixSeconds, ports::Insertion,
};

use super::{
    LinkService, LinkWriter, NewLink,
    draft::{not_hashed, random_slug},
};
use crate::{access::Access, caller::SeenLink, error::Error};

/// The terms under which a caller makes a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreateTerms {
    /// `true` takes an active link in place of the new one if it is equal in every member.
    pub reuse: bool,
    /// `true` checks everything and stores nothing.
    pub validate_only: bool,
}

/// The outcome of a creation, with the link as far as the caller may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    /// The link is stored. If the same request stored it before, this is the link as it is now.
    Stored(SeenLink),
    /// The link could be stored; another call may get another generated slug and identifier.
    Valid(SeenLink),
    /// A link that is there stays as it is: an equal one, or the owner of the slug.
    Existing(SeenLink),
}

impl Created {
    /// The link.
    pub fn link(&self) -> &SeenLink {
        match self {
            Self::Stored(link) | Self::Valid(link) | Self::Existing(link) => link,
        }
    }
}

impl LinkService {
    /// The access rule of [`LinkWriter::create`].
    pub const CREATE: Access = Access::with_links(Scope::LinksWrite);
}

impl LinkWriter {
    /// Creates a link. A chosen slug must be free. A generated slug is retried, and then
    /// lengthened, until it is free. A request under a key that came before makes no second link.
    ///
    /// # Errors
    /// The expiry is not in the future, the link leads to itself, the slug or the identifier is
    /// taken, or the store failed. The error of a taken slug names a free one.
    pub async fn create(&self, new: NewLink, terms: CreateTerms) -> Result<Created, Error> {
        match self.make(new, terms).await {
            Err(Error::SlugTaken { key, .. }) => Err(self.slug_taken(key).await),
            made => made,
        }
    }

    /// As [`Self::create`], but it looks for no free slug beside a taken one.
    async fn make(&self, mut new: NewLink, terms: CreateTerms) -> Result<Created, Error> {
        self.permit(LinkService::CREATE)?;
        if terms.reuse {
            self.may_read()?;
        }
        if !terms.validate_only {
            self.spend(1)?;
        }
        let asked = new.asked.take().filter(|_| !terms.validate_only);
        let request = asked.map(|asked| self.digests(&asked));
        if let Some(stored) = self.stored_before(request).await? {
            return Ok(stored);
        }
        new.domain = self.domains().meant(new.domain)?;
        let (tags, id) = (&new.content.tags, new.id.as_ref());
        self.reach.permit_new(&new.domain, tags, id)?;
        let case = self.domains().case_in(&new.domain);
        let parts = &self.parts;
        let note = self.note(AuditedOperation::LinkCreate);
        let now = note.at;
        self.check_expiry(new.content.expires_at)?;
        new.content.check()?;
        let password = match &new.password {
            Some(_) if terms.validate_only => Some(not_hashed()),
            Some(password) => Some(parts.passwords.hash(password).await?),
            None => None,
        };
        self.screen_new(&mut new.content).await;
        let (slug, generated) = match &new.slug {
            Some(chosen) => (case.canonical(chosen).into_owned(), false),
            None => (self.generate_slug(0), true),
        };
        let said = terms.reuse.then(|| new.clone());
        let mut link = self.complete(new, slug, password, now);
        link.request = request;
        if let Some(said) = said
            && let Some(twin) = self.twin(&link, &said, now.second()).await?
        {
            return Ok(Created::Existing(self.seen(twin)));
        }
        let mut collisions = 0;
        loop {
            link.check_circles(None, &self.own_addresses)?;
            let insertion = if terms.validate_only {
                self.rehearse(&link).await?
            } else {
                let inserted = parts.store.insert(&self.reach, &link, &note).await;
                let is_stored = matches!(inserted, Ok(Insertion::Stored));
                parts.resolver.announce(&link.key, &note, is_stored);
                inserted?
            };
            // The same request may have come twice at once, and taken the slug or the identifier.
            if insertion != Insertion::Stored
                && let Some(stored) = self.stored_before(request).await?
            {
                return Ok(stored);
            }
            let link_made = match insertion {
                Insertion::Stored if terms.validate_only => Created::Valid,
                Insertion::Stored => Created::Stored,
                Insertion::IdTaken => return Err(Error::IdTaken(link.id)),
                Insertion::NoDomain => return Err(Error::no_domain(&link.key)),
                Insertion::SlugTaken if generated => {
                    collisions += 1;
                    link.key.slug = self.generate_slug(collisions);
                    continue;
                }
                Insertion::SlugTaken => {
                    let (key, free) = (link.key, None);
                    return Err(Error::SlugTaken { key, free });
                }
                // What the other request made is gone by now.
                Insertion::Repeated => return Err(Error::LinkDeleted),
            };
            return Ok(link_made(self.made(link)));
        }
    }

    /// Returns the outcome of a request that has stored its link before.
    async fn stored_before(
        &self,
        request: Option<RequestDigests>,
    ) -> Result<Option<Created>, Error> {
        let Some(request) = request else {
            return Ok(None);
        };
        let mut made = self.made_by([request]).await?;
        let link = self.made_again(&request, &mut made)?;
        Ok(link.map(|link| Created::Stored(self.seen(link))))
    }

    /// Returns the outcome that the insertion of a link would have now.
    async fn rehearse(&self, link: &Link) -> Result<Insertion, Error> {
        let mut rehearsal = self.rehearsal_of(std::slice::from_ref(link)).await?;
        Ok(rehearsal.insert(link))
    }

    /// Finds a link within reach that may stand for a new one, of which its author said this.
    async fn twin(
        &self,
        new: &Link,
        said: &NewLink,
        now: UnixSeconds,
    ) -> Result<Option<Link>, Error> {
        if !new.may_be_stood_for() {
            return Ok(None);
        }
        let store = &self.parts.store;
        let found = if said.slug.is_some() {
            store.find(&new.key).await?
        } else if let Some(id) = &said.id {
            let id = BTreeSet::from([id.clone()]);
            store.holders(&BTreeSet::new(), &id).await?.pop()
        } else {
            store.twin(&self.reach, new, now).await?
        };
        Ok(found.filter(|link| {
            self.reach.holds(link) && is_about(said, link) && link.may_stand_for(new, now)
        }))
    }

    /// Adds a character after every third collision, which divides the chance of the next
    /// one by 31. So the search ends after a handful of attempts, however full the short
    /// slugs are.
    pub(super) fn generate_slug(&self, collisions: usize) -> Slug {
        const ATTEMPTS_PER_LENGTH: usize = 3;
        let length = self.parts.generated_chars + collisions / ATTEMPTS_PER_LENGTH;
        random_slug(length.clamp(1, Slug::MAX_CHARS), self.parts.random.as_ref())
    }
}

/// Returns whether a link is as its author said where an equal link may be otherwise.
fn is_about(said: &NewLink, link: &Link) -> bool {
    said.id.as_ref().is_none_or(|id| *id == link.id)
        && said.created_at.is_none_or(|at| at == link.created_at)
        && said.updated_at.is_none_or(|at| at == link.updated_at)
}

impl LinkService {
    /// The access rule of [`LinkWriter::upsert`].
    pub const UPSERT: Access = Access::with_links(Scope::LinksWrite);
}

impl LinkWriter {
    /// Creates a link, or returns the link that owns the slug and is not expired.
    ///
    /// # Errors
    /// As for [`LinkWriter::create`]; a taken slug is an error only if its owner
    /// vanished in between.
    pub async fn upsert(&self, new: NewLink, terms: CreateTerms) -> Result<Created, Error> {
        self.permit(LinkService::UPSERT)?;
        let key = match self.make(new, terms).await {
            Err(Error::SlugTaken { key, .. }) => key,
            made => return made,
        };
        let owner = match self.get(&key).await {
            Ok(owner) => owner,
            Err(Error::LinkNotFound(_)) => return Err(self.slug_taken(key).await),
            Err(other) => return Err(other),
        };
        let now = self.now().second();
        match owner.status_at(now) {
            LinkStatus::Active
            | LinkStatus::Scheduled
            | LinkStatus::UsedUp
            | LinkStatus::Disabled => Ok(Created::Existing(self.seen(owner))),
            LinkStatus::Expired => Err(self.slug_taken(key).await),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use slugline_domain::{
        Author, Change, LinkFilter, LinkId, LinkPatch, OwnAddresses, Password, SlugCase,
        StatusFilter,
        ports::{AuditTrail, LinkStore, Random},
    };
    use slugline_testkit::{
        NOON, assert_matches, destination, key, link, newest_lines, seconds, slug, with,
    };

    use super::*;
    use crate::{
        Caller, GENERATED_CHARS, LinkServiceParts, RestoreFault,
        links::{
            EditLink, ImportLink, ImportOutcome, ImportedLink, LinkToExplain, Precondition,
            RestoreLink,
            fixture::{demonstration, fixture, fixture_with},
        },
    };

    fn new(text: &str) -> NewLink {
        with(nameless(), |it| it.slug = Some(slug(text)))
    }

    fn nameless() -> NewLink {
        NewLink::leading_to(destination("https://example.com/"))
    }

    #[tokio::test]
    async fn what_the_author_leaves_open_is_decided_here() {
        let fixture = fixture();
        let made = fixture.create(nameless()).await.unwrap();
        assert_eq!(made.key.slug.as_str().len(), 6);
        assert_eq!((made.created_at, made.updated_at), (NOON, NOON));
        assert_eq!(made.id.as_str().len(), 36);
        assert_eq!(fixture.store.find(&made.key).await.unwrap(), Some(made));
    }

    #[tokio::test]
    async fn a_chosen_slug_is_folded_and_must_be_free() {
        let fixture = fixture();
        let made = fixture.create(new("DoCs")).await.unwrap();
        assert_eq!(made.key.slug.as_str(), "docs");
        assert_matches!(
            fixture.create(new("docs")).await,
            Err(Error::SlugTaken { .. })
        );
        let random = Arc::new(slugline_testkit::SeededRandom::new(1));
        let fixture = fixture_with(GENERATED_CHARS, SlugCase::Sensitive, random);
        let made = fixture.create(new("DoCs")).await.unwrap();
        assert_eq!(made.key.slug.as_str(), "DoCs");
        assert!(fixture.create(new("docs")).await.is_ok());
    }

    #[tokio::test]
    async fn no_call_of_an_embedder_stores_a_link_that_leads_to_itself() {
        let gone = link("back").to("https://sl.example/away").build();
        let fixture = fixture().holding(&link("docs").build()).await;
        let fixture = fixture.holding(&gone).await;
        let any = Precondition::None;
        fixture.links.delete(&gone.key, &any).await.unwrap();
        let random = Arc::new(slugline_testkit::SeededRandom::new(1));
        let parts = LinkServiceParts::new(fixture.store.clone(), fixture.clock.clone(), random);
        let links = LinkService::new(LinkServiceParts {
            own_addresses: OwnAddresses::default().at(&"https://sl.example".parse().unwrap()),
            ..parts
        });
        let links = links.by(Caller::Operator, Author::operator());
        let itself = |text: &str| destination(&format!("https://sl.example/{text}"));
        let circle = || NewLink {
            slug: Some(slug("new")),
            ..NewLink::leading_to(itself("New"))
        };
        let batch = vec![ImportLink {
            slug: Some(slug("new")),
            ..ImportLink::leading_to(itself("New"))
        }];
        let plain = CreateTerms::default();
        let checked = with(plain, |it| it.validate_only = true);
        let apple = Change::Set(itself("docs"));
        let patch = with(LinkPatch::default(), |it| it.apple = apple);
        let mut replacement = LinkPatch::default().replacing();
        replacement.destination = Some(itself("docs"));
        let restore = RestoreLink {
            id: LinkId::parse("id-back").unwrap(),
            version: None,
            slug: Some(slug("away")),
            domain: None,
            expires_at: Change::Keep,
        };
        let changed = LinkToExplain::Changed(key("docs"), Box::new(patch.clone()));
        let drafted = LinkToExplain::New(Box::new(circle()));
        let [patch, replacement] =
            [patch, replacement].map(|patch| EditLink::new(key("docs"), patch));
        let refused = |imported: Result<Vec<ImportedLink>, Error>| {
            let outcome = imported.unwrap().remove(0).outcome;
            let ImportOutcome::Forwarding(fault) = outcome else {
                panic!("{outcome:?}");
            };
            Some(Error::from(fault))
        };
        let refusals = [
            ("url", links.create(circle(), plain).await.err()),
            ("url", links.create(circle(), checked).await.err()),
            ("url", links.upsert(circle(), plain).await.err()),
            ("url", refused(links.import(batch.clone()).await)),
            ("url", refused(links.validate_import(batch).await)),
            ("apple", links.edit(&patch).await.err()),
            ("url", links.edit(&replacement).await.err()),
            ("url", links.restore(&restore).await.err()),
            ("apple", links.to_explain(changed).await.err()),
            ("url", links.to_explain(drafted).await.err()),
        ];
        for (index, (expected, refusal)) in refusals.into_iter().enumerate() {
            let Some(Error::Forwarding(fault) | Error::Restore(RestoreFault::WrongKey(fault))) =
                refusal
            else {
                panic!("call {index}: {refusal:?}");
            };
            assert_eq!(fault.path, expected, "call {index}");
        }
        assert_eq!(fixture.store.find(&key("new")).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_visitor_who_came_too_early_finds_the_link_once_it_is_made() {
        let fixture = fixture();
        assert!(!fixture.leads("docs").await);
        fixture.create(new("docs")).await.unwrap();
        assert!(fixture.leads("docs").await);
    }

    #[tokio::test]
    async fn an_expiry_must_lie_in_the_future_and_frees_the_slug_when_it_comes() {
        let fixture = fixture();
        let mut brief = new("docs");
        brief.content.expires_at = Some(NOON);
        let refused = fixture.create(brief.clone()).await;
        assert_matches!(refused, Err(Error::ExpiryNotInFuture { .. }));
        brief.content.expires_at = Some(seconds(1));
        let first = fixture.create(brief).await.unwrap();
        fixture.clock.advance_seconds(1);
        let second = fixture.create(new("docs")).await.unwrap();
        assert_ne!(first.id, second.id);
    }

    #[tokio::test]
    async fn a_password_is_stored_hashed() {
        let fixture = fixture();
        let password = Some(Password::parse("hunter2").unwrap());
        let new = with(new("docs"), |it| it.password = password);
        let made = fixture.create(new).await.unwrap();
        assert!(made.password.unwrap().as_str().starts_with("$argon2id$"));
    }

    #[tokio::test]
    async fn an_id_in_use_is_refused_even_with_a_generated_slug() {
        let fixture = fixture().holding(&link("docs").id("same").build()).await;
        let made = with(nameless(), |it| it.id = LinkId::parse("same").ok());
        assert_matches!(fixture.create(made).await, Err(Error::IdTaken(_)));
    }

    /// A source that always gives the same byte, so that every generated slug
    /// of one length is the same.
    #[derive(Debug)]
    struct StuckRandom;

    impl Random for StuckRandom {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(0);
        }
    }

    #[tokio::test]
    async fn generated_slugs_that_collide_are_lengthened() {
        let fixture = fixture_with(1, SlugCase::default(), Arc::new(StuckRandom));
        for (i, expected) in ["2", "22", "222"].into_iter().enumerate() {
            let id = LinkId::parse(&format!("link-{i}")).ok();
            let new = with(nameless(), |it| it.id = id);
            let made = fixture.create(new).await.unwrap();
            assert_eq!(made.key.slug.as_str(), expected);
        }
    }

    #[tokio::test]
    async fn what_is_only_checked_is_refused_as_the_link_would_be_and_leaves_nothing() {
        let fixture = fixture().holding(&link("docs").id("same").build()).await;
        let check = with(CreateTerms::default(), |it| it.validate_only = true);
        let valid = fixture.links.create(new("News"), check).await.unwrap();
        let Created::Valid(shown) = valid else {
            panic!("{valid:?}");
        };
        assert_eq!(*shown.key(), key("news"));
        let generated = with(nameless(), |it| it.password = Password::parse("pw").ok());
        let generated = fixture.links.create(generated, check).await.unwrap();
        let generated = generated.link().whole().unwrap();
        assert_eq!(generated.key.slug.as_str().len(), 6);
        assert!(generated.password.is_some());
        let taken = fixture.links.create(new("DOCS"), check).await;
        assert_matches!(taken, Err(Error::SlugTaken { .. }));
        let id_taken = with(new("other"), |it| it.id = LinkId::parse("same").ok());
        let id_taken = fixture.links.create(id_taken, check).await;
        assert_matches!(id_taken, Err(Error::IdTaken(_)));
        let mut past = new("past");
        past.content.expires_at = Some(NOON);
        let past = fixture.links.create(past, check).await;
        assert_matches!(past, Err(Error::ExpiryNotInFuture { .. }));

        let everything = with(LinkFilter::default(), |it| it.status = StatusFilter::All);
        assert_eq!(fixture.links.count(everything).await.unwrap(), 1);
        let lines = fixture.store.lines(&newest_lines(10)).await.unwrap();
        assert_eq!(lines.len(), 1, "that of the link which was there before");
    }

    #[tokio::test]
    async fn an_equal_link_is_reused_and_any_other_is_made() {
        let fixture = fixture();
        let reuse = with(CreateTerms::default(), |it| it.reuse = true);
        let plain = || NewLink::leading_to(destination("https://example.com/?a=1"));
        let first = fixture.links.create(plain(), reuse).await.unwrap();
        let Created::Stored(first) = first else {
            panic!("{first:?}");
        };
        let same = fixture.links.create(plain(), reuse).await.unwrap();
        assert_eq!(same, Created::Existing(first.clone()));
        let checked = with(reuse, |it| it.validate_only = true);
        let same = fixture.links.create(plain(), checked).await.unwrap();
        assert_eq!(same, Created::Existing(first.clone()));
        let named = with(plain(), |it| it.slug = Some(first.key().slug.clone()));
        let same = fixture.links.create(named, reuse).await.unwrap();
        assert_eq!(same, Created::Existing(first.clone()));

        let password = Password::parse("pw").unwrap();
        let others = [
            with(plain(), |it| it.slug = Some(slug("other"))),
            with(plain(), |it| it.id = LinkId::parse("other").ok()),
            with(plain(), |it| it.created_at = Some(seconds(-5))),
            with(plain(), |it| it.password = Some(password.clone())),
            with(plain(), |it| it.password = Some(password)),
            NewLink::leading_to(destination("https://example.com/?a=2")),
        ];
        for other in others {
            let made = fixture.links.create(other.clone(), reuse).await;
            assert_matches!(made, Ok(Created::Stored(_)), "{other:?}");
        }
        let mut otherwise = with(plain(), |it| it.slug = Some(first.key().slug.clone()));
        otherwise.content.flagged_unsafe = Some(false);
        let taken = fixture.links.create(otherwise, reuse).await;
        assert_matches!(taken, Err(Error::SlugTaken { .. }));
    }

    #[tokio::test]
    async fn a_link_of_a_demonstration_ends_soon_whatever_its_author_says() {
        let fixture = demonstration();
        let mut late = new("docs");
        late.content.expires_at = Some(seconds(9_000));
        let made = fixture.create(late).await.unwrap();
        assert_eq!(made.effective_expiry(), Some(seconds(300)));
        // What was said is kept.
        assert_eq!(made.content.expires_at, Some(seconds(9_000)));
        fixture.clock.advance_seconds(300);
        let again = fixture.create(new("docs")).await;
        assert!(again.is_ok(), "the slug is free again");
    }

    #[tokio::test]
    async fn an_active_owner_stays_untouched_and_an_expired_one_is_replaced() {
        let active = link("active").tags(&["a"]).build();
        let gone = link("gone").expires(0).build();
        let fixture = fixture().holding(&active).await.holding(&gone).await;
        let without_slug = NewLink::leading_to(destination("https://example.org/"));
        let upsert = async |new| fixture.links.upsert(new, CreateTerms::default()).await;
        let existing = upsert(new("ACTIVE")).await.unwrap();
        assert_eq!(
            existing,
            Created::Existing(SeenLink::Whole(active.into(), None))
        );
        for made in [upsert(new("gone")).await, upsert(without_slug).await] {
            assert_matches!(made, Ok(Created::Stored(_)));
        }
    }
}
