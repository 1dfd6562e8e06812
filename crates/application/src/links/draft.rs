//! A link before it is stored.

use slugline_domain::{
    Destination, ImportedPassword, Link, LinkContent, LinkId, Password, PasswordHash, Revision,
    Slug, UnixMillis, UnixSeconds,
};

use super::LinkService;
use crate::mint;

/// A link to be stored, with its password in the form `P`. The service chooses the values
/// of members that are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkDraft<P> {
    /// Identifier; generated when absent.
    pub id: Option<LinkId>,
    /// Slug; generated when absent.
    pub slug: Option<Slug>,
    /// Time of creation; the present when absent.
    pub created_at: Option<UnixSeconds>,
    /// Time of the last change; the present when absent.
    pub updated_at: Option<UnixSeconds>,
    /// Password; the link asks for none when absent.
    pub password: Option<P>,
    /// All other members.
    pub content: LinkContent,
}

/// A link to be created. Its password is in clear, and its expiry is in the future.
pub type NewLink = LinkDraft<Password>;

/// A link to be imported. Its password is hashed or in clear, and its expiry may be in
/// the past.
pub type ImportLink = LinkDraft<ImportedPassword>;

impl<P> LinkDraft<P> {
    /// A link with a destination and nothing else.
    pub fn leading_to(destination: Destination) -> Self {
        Self {
            id: None,
            slug: None,
            created_at: None,
            updated_at: None,
            password: None,
            content: LinkContent::leading_to(destination),
        }
    }
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
            slug,
            created_at: draft.created_at.unwrap_or(now.second()),
            updated_at: draft.updated_at.unwrap_or(now.second()),
            revision: Revision::FIRST,
            ends_at: parts.preview.end_of_link(now.second()),
            password,
            content: draft.content,
        }
    }
}
