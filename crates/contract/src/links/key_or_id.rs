//! Naming a link that may be gone: by its slug, or by its id.

use slugline_application::WhichLink;
use slugline_domain::LinkId;

use super::key::optional_key;
use crate::{issue::IssueCode, sent::Sent, validation::Validation};

/// Reads `slug` with its `domain`, or `id`, and not both.
pub(crate) fn key_or_id(
    validation: &mut Validation,
    domain: &Sent<String>,
    slug: &Sent<String>,
    id: &Sent<String>,
) -> Option<WhichLink> {
    let key = optional_key(validation, domain, slug);
    let by_id = validation.optional(&["id"], id, |id| LinkId::parse(id));
    match (slug, id) {
        (Sent::Absent, Sent::Absent) => validation.note(
            &["slug"],
            (
                IssueCode::InvalidType,
                "slug and id are missing".into(),
                "the slug of a link, or the id of one that no longer exists".into(),
            ),
        ),
        (Sent::Absent, _) | (_, Sent::Absent) => {}
        (_, _) => validation.note(
            &["id"],
            (
                IssueCode::InvalidValue,
                "slug and id are both there".into(),
                "slug or id alone".into(),
            ),
        ),
    }
    key.map(WhichLink::Key).or(by_id.map(WhichLink::Id))
}
