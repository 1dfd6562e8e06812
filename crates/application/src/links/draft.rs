//! A link before it is stored, and the identifiers and slugs that the service chooses.

use slugline_domain::{
    Destination, DomainName, ImportedPassword, Link, LinkContent, LinkId, LinkKey, Password,
    PasswordHash, Revision, Scope, Slug, UnixMillis, UnixSeconds, ports::Random,
};
use uuid::Builder;

use super::{LinkService, repeat::Asked};
use crate::{
    access::{Access, Forbidden},
    error::Error,
};

/// A link to be stored, with its password in the form `P`. The service chooses the values
/// of members that are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkDraft<P> {
    /// Identifier; generated when absent.
    pub id: Option<LinkId>,
    /// Domain.
    pub domain: DomainName,
    /// Slug; generated when absent.
    pub slug: Option<Slug>,
    /// Time of creation; the present when absent.
    pub created_at: Option<UnixSeconds>,
    /// Time of the last change; the present when absent.
    pub updated_at: Option<UnixSeconds>,
    /// Password; the link asks for none when absent.
    pub password: Option<P>,
    /// The visits that were counted against the limit of an imported link.
    pub visits_used: u32,
    /// The request, if its client may send it again.
    pub asked: Option<Asked>,
    /// All other members.
    pub content: LinkContent,
}

/// A link to be created. Its password is in clear, and its expiry is in the future.
pub type NewLink = LinkDraft<Password>;

/// A link to be imported. Its password is hashed or in clear, and its expiry may be in
/// the past.
pub type ImportLink = LinkDraft<ImportedPassword>;

impl<P> LinkDraft<P> {
    /// A link with this content; the service chooses the rest.
    pub fn of(content: LinkContent) -> Self {
        Self {
            id: None,
            domain: DomainName::DEFAULT,
            slug: None,
            created_at: None,
            updated_at: None,
            password: None,
            visits_used: 0,
            asked: None,
            content,
        }
    }

    /// A link with a destination and nothing else.
    pub fn leading_to(destination: Destination) -> Self {
        Self::of(LinkContent::leading_to(destination))
    }
}

/// Stands for the hash of a password that is only checked. Hashing takes long, and no answer shows it.
pub(super) fn not_hashed() -> PasswordHash {
    PasswordHash::new("not hashed")
}

impl LinkService {
    /// Turns the draft into a link with this slug and this stored password.
    pub(super) fn complete<P>(
        &self,
        draft: LinkDraft<P>,
        slug: Slug,
        password: Option<PasswordHash>,
        now: UnixMillis,
    ) -> Link {
        let parts = &self.parts;
        Link {
            id: draft
                .id
                .unwrap_or_else(|| link_id(now, parts.random.as_ref())),
            key: LinkKey::new(draft.domain, slug),
            created_at: draft.created_at.unwrap_or(now.second()),
            updated_at: draft.updated_at.unwrap_or(now.second()),
            revision: Revision::FIRST,
            ends_at: parts.preview.end_of_link(now.second()),
            password,
            visits_used: draft.visits_used,
            request: None,
            content: draft.content,
        }
    }
}

/// Makes a UUID version 7: it sorts by creation, and ten random bytes keep nodes apart.
fn link_id(now: UnixMillis, random: &dyn Random) -> LinkId {
    let mut bytes = [0; 10];
    random.fill(&mut bytes);
    let millis = u64::try_from(now.get()).unwrap_or(0);
    let uuid = Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid();
    LinkId::parse(&uuid.to_string()).expect("a hyphenated UUID is a link id")
}

/// Makes a slug of random characters, each equally likely.
pub(super) fn random_slug(length: usize, random: &dyn Random) -> Slug {
    let alphabet = Slug::GENERATED_ALPHABET;
    // The largest multiple of the alphabet's size that fits a byte: bytes above
    // it would make the first characters likelier.
    let fair = u8::MAX - u8::MAX % 31;
    let mut text = String::with_capacity(length);
    let mut bytes = [0; 32];
    while text.len() < length {
        random.fill(&mut bytes);
        let fair_bytes = bytes.iter().filter(|byte| **byte < fair);
        text.extend(
            fair_bytes
                .map(|byte| char::from(alphabet[usize::from(byte % 31)]))
                .take(length - text.len()),
        );
    }
    Slug::parse(&text).expect("the alphabet holds letters and digits only")
}

impl LinkService {
    /// The access rule of suggestions of slugs and previews. Only adapters check it.
    pub const SUGGEST: Access = Access::outside_preview(Scope::LinksWrite, Forbidden::Suggest);

    /// Suggests a slug for a destination, in the spelling under which the default domain would
    /// store it. It may be taken.
    pub fn suggested_slug(&self, destination: &Destination) -> Slug {
        let case = self.domains().case_in(&DomainName::DEFAULT);
        case.canonical(&Slug::from_destination(destination))
            .into_owned()
    }

    /// Returns the error for a taken slug, with a free slug.
    pub(super) async fn slug_taken(&self, key: LinkKey) -> Error {
        let free = self.free_beside(&key).await;
        Error::SlugTaken { key, free }
    }

    /// Returns the first of `docs-2`, `docs-3` and so on that no link has, not even an
    /// expired one. A few look-ups cost less than the caller's guesses.
    async fn free_beside(&self, taken: &LinkKey) -> Option<LinkKey> {
        const LAST: u32 = 5;
        for number in 2..=LAST {
            let key = LinkKey {
                domain: taken.domain.clone(),
                slug: Slug::parse(&format!("{}-{number}", taken.slug)).ok()?,
            };
            if let Err(Error::LinkNotFound(_)) = self.find(&key).await {
                return Some(key);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use slugline_testkit::{NOON, SeededRandom, assert_matches, destination, key, slug};

    use super::*;
    use crate::links::{NewLink, fixture::fixture};

    #[test]
    fn ids_are_version_7_and_carry_the_time() {
        let id = link_id(NOON.start(), &SeededRandom::new(7));
        let uuid = uuid::Uuid::parse_str(id.as_str()).unwrap();
        assert_eq!(uuid.get_version_num(), 7);
        let (seconds, _) = uuid.get_timestamp().unwrap().to_unix();
        assert_eq!(i64::try_from(seconds).unwrap(), NOON.get());
    }

    #[test]
    fn slugs_have_the_asked_length_and_use_the_whole_alphabet() {
        let random = SeededRandom::new(1);
        let mut seen = HashSet::new();
        for _ in 0..200 {
            let slug = random_slug(6, &random);
            assert_eq!(slug.as_str().len(), 6);
            seen.extend(slug.as_str().bytes());
        }
        assert_eq!(seen, Slug::GENERATED_ALPHABET.iter().copied().collect());
        assert_eq!(random_slug(100, &random).as_str().len(), 100);
    }

    #[tokio::test]
    async fn a_taken_slug_comes_with_the_next_free_one() {
        let fixture = fixture();
        let new = |text: &str| NewLink {
            slug: Some(slug(text)),
            ..NewLink::leading_to(destination("https://example.com/"))
        };
        for text in ["docs", "docs-2"] {
            fixture.create(new(text)).await.unwrap();
        }
        let Err(Error::SlugTaken { key: taken, free }) = fixture.create(new("docs")).await else {
            panic!("the slug is taken")
        };
        assert_eq!((taken, free), (key("docs"), Some(key("docs-3"))));
        for text in ["docs-3", "docs-4", "docs-5"] {
            fixture.create(new(text)).await.unwrap();
        }
        let refused = fixture.create(new("docs")).await;
        assert_matches!(refused, Err(Error::SlugTaken { free: None, .. }));
        let long = "a".repeat(Slug::MAX_CHARS);
        fixture.create(new(&long)).await.unwrap();
        let refused = fixture.create(new(&long)).await;
        assert_matches!(refused, Err(Error::SlugTaken { free: None, .. }));
    }

    #[test]
    fn a_suggested_slug_has_the_spelling_of_the_default_domain() {
        let links = fixture().links;
        let suggested = links.suggested_slug(&destination("https://www.example.com/Some-Page"));
        assert_eq!(suggested.as_str(), "some-page");
    }
}
