//! Creates a link.

use slugline_domain::{Link, LinkKey, Operation, Scope, Slug, ports::Insertion};

use super::{LinkService, LinkWriter, NewLink};
use crate::{Access, Error, mint};

/// The outcome for a new link.
pub(super) enum Made {
    /// The link is stored.
    Stored(Box<Link>),
    /// An active link owns the key that its author chose.
    SlugTaken(LinkKey),
}

impl LinkService {
    /// The access rule of [`LinkWriter::create`].
    pub const CREATE: Access = Access::with_links(Scope::LinksWrite);
}

impl LinkWriter {
    /// Creates a link. A chosen slug must be free. A generated slug is retried, and then
    /// lengthened, until it is free.
    ///
    /// # Errors
    /// The expiry is not in the future, the slug or the identifier is taken, or
    /// the store failed. The error of a taken slug names a free one.
    pub async fn create(&self, new: NewLink) -> Result<Link, Error> {
        match self.make(new).await? {
            Made::Stored(link) => Ok(*link),
            Made::SlugTaken(key) => Err(self.slug_taken(key).await),
        }
    }

    pub(super) async fn make(&self, mut new: NewLink) -> Result<Made, Error> {
        self.permit(LinkService::CREATE)?;
        self.spend(1)?;
        new.domain = self.domains().meant(new.domain)?;
        self.reach.permit_new(&new.domain, &new.content.tags)?;
        let case = self.domains().case_in(&new.domain);
        let parts = &self.parts;
        let note = self.note(Operation::LinkCreate);
        let now = note.at;
        self.check_expiry(new.content.expires_at)?;
        new.content.check()?;
        let password = match &new.password {
            Some(password) => Some(parts.passwords.hash(password).await?),
            None => None,
        };
        self.screen_new(&mut new.content).await;
        let (slug, generated) = match &new.slug {
            Some(chosen) => (case.canonical(chosen).into_owned(), false),
            None => (self.generate_slug(0), true),
        };
        let mut link = self.complete(new, slug, password, now);
        let mut collisions = 0;
        loop {
            let insertion = parts.store.insert_within(&self.reach, &link, &note).await;
            // Also after an error: the store may have made the link before it failed.
            parts.resolver.forget(&link.key);
            match insertion? {
                Insertion::Stored => return Ok(Made::Stored(Box::new(link))),
                Insertion::IdTaken => return Err(Error::IdTaken(link.id)),
                Insertion::NoDomain => return Err(Error::no_domain(&link.key)),
                Insertion::SlugTaken if generated => {
                    collisions += 1;
                    link.key.slug = self.generate_slug(collisions);
                }
                Insertion::SlugTaken => return Ok(Made::SlugTaken(link.key)),
            }
        }
    }

    /// Adds a character after every third collision, which divides the chance of the next
    /// one by 31. So the search ends after a handful of attempts, however full the short
    /// slugs are.
    pub(super) fn generate_slug(&self, collisions: usize) -> Slug {
        const ATTEMPTS_PER_LENGTH: usize = 3;
        let length = self.parts.generated_chars + collisions / ATTEMPTS_PER_LENGTH;
        mint::slug(length.clamp(1, Slug::MAX_CHARS), self.parts.random.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use slugline_domain::{
        LinkId, Password, SlugCase,
        ports::{LinkStore, Random},
    };
    use slugline_testkit::{NOON, destination, link, seconds, slug};

    use super::*;
    use crate::{
        GENERATED_CHARS,
        links::fixture::{demonstration, fixture, fixture_with},
    };

    fn new(text: &str) -> NewLink {
        NewLink {
            slug: Some(slug(text)),
            ..NewLink::leading_to(destination("https://example.com/"))
        }
    }

    #[tokio::test]
    async fn what_the_author_leaves_open_is_decided_here() {
        let fixture = fixture();
        let made = fixture
            .links
            .create(NewLink::leading_to(destination("https://example.com/")))
            .await;
        let made = made.unwrap();
        assert_eq!(made.key.slug.as_str().len(), 6);
        assert_eq!((made.created_at, made.updated_at), (NOON, NOON));
        assert_eq!(made.id.as_str().len(), 36);
        assert_eq!(fixture.store.find(&made.key).await.unwrap(), Some(made));
    }

    #[tokio::test]
    async fn a_chosen_slug_is_folded_and_must_be_free() {
        let fixture = fixture();
        assert_eq!(
            fixture
                .links
                .create(new("DoCs"))
                .await
                .unwrap()
                .key
                .slug
                .as_str(),
            "docs"
        );
        assert!(matches!(
            fixture.links.create(new("docs")).await,
            Err(Error::SlugTaken { .. })
        ));
        let random = Arc::new(slugline_testkit::SeededRandom::new(1));
        let fixture = fixture_with(GENERATED_CHARS, SlugCase::Sensitive, random);
        assert_eq!(
            fixture
                .links
                .create(new("DoCs"))
                .await
                .unwrap()
                .key
                .slug
                .as_str(),
            "DoCs"
        );
        assert!(fixture.links.create(new("docs")).await.is_ok());
    }

    #[tokio::test]
    async fn a_visitor_who_came_too_early_finds_the_link_once_it_is_made() {
        let fixture = fixture();
        assert!(!fixture.leads("docs").await);
        fixture.links.create(new("docs")).await.unwrap();
        assert!(fixture.leads("docs").await);
    }

    #[tokio::test]
    async fn an_expiry_must_lie_in_the_future_and_frees_the_slug_when_it_comes() {
        let fixture = fixture();
        let mut brief = new("docs");
        brief.content.expires_at = Some(NOON);
        let refused = fixture.links.create(brief.clone()).await;
        assert!(matches!(refused, Err(Error::ExpiryNotInFuture { .. })));
        brief.content.expires_at = Some(seconds(1));
        let first = fixture.links.create(brief).await.unwrap();
        fixture.clock.advance_seconds(1);
        let second = fixture.links.create(new("docs")).await.unwrap();
        assert_ne!(first.id, second.id);
    }

    #[tokio::test]
    async fn a_password_is_stored_hashed() {
        let fixture = fixture();
        let password = Some(Password::parse("hunter2").unwrap());
        let made = fixture
            .links
            .create(NewLink {
                password,
                ..new("docs")
            })
            .await
            .unwrap();
        assert!(made.password.unwrap().as_str().starts_with("$argon2id$"));
    }

    #[tokio::test]
    async fn an_id_in_use_is_refused_even_with_a_generated_slug() {
        let fixture = fixture().holding(&link("docs").id("same").build()).await;
        let id = LinkId::parse("same").ok();
        let made = NewLink {
            id,
            ..NewLink::leading_to(destination("https://example.com/"))
        };
        assert!(matches!(
            fixture.links.create(made).await,
            Err(Error::IdTaken(_))
        ));
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
            let made = NewLink {
                id,
                ..NewLink::leading_to(destination("https://example.com/"))
            };
            assert_eq!(
                fixture.links.create(made).await.unwrap().key.slug.as_str(),
                expected
            );
        }
    }

    #[tokio::test]
    async fn a_link_of_a_demonstration_ends_soon_whatever_its_author_says() {
        let fixture = demonstration();
        let mut late = new("docs");
        late.content.expires_at = Some(seconds(9_000));
        let made = fixture.links.create(late).await.unwrap();
        assert_eq!(made.effective_expiry(), Some(seconds(300)));
        assert_eq!(
            made.content.expires_at,
            Some(seconds(9_000)),
            "what was said is kept"
        );
        fixture.clock.advance_seconds(300);
        assert!(
            fixture.links.create(new("docs")).await.is_ok(),
            "the slug is free again"
        );
    }
}
