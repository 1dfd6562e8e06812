//! A link before it is stored.

use slugline_domain::{
    Destination, DomainName, ImportedPassword, Link, LinkContent, LinkId, LinkKey, Password,
    PasswordHash, Revision, Slug, UnixMillis, UnixSeconds,
};

use super::LinkService;
use crate::mint;

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
            content,
        }
    }

    /// A link with a destination and nothing else.
    pub fn leading_to(destination: Destination) -> Self {
        Self::of(LinkContent::leading_to(destination))
    }
}

/// Stands for the hash of a password that is only checked. Hashing takes long, and nobody sees it.
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
                .unwrap_or_else(|| mint::link_id(now, parts.random.as_ref())),
            key: LinkKey::new(draft.domain, slug),
            created_at: draft.created_at.unwrap_or(now.second()),
            updated_at: draft.updated_at.unwrap_or(now.second()),
            revision: Revision::FIRST,
            ends_at: parts.preview.end_of_link(now.second()),
            password,
            visits_used: draft.visits_used,
            content: draft.content,
        }
    }
}
