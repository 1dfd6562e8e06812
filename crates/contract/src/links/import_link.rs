//! One link of an import.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application as application;
use slugline_domain::{ImportedPassword, LinkId, LinkKey, MaxVisits, Slug};

use super::{
    key::{domain_of, host_schema},
    member_reader::Body,
    members::{LinkMembers, widest_texts},
};
use crate::{
    Problem,
    bounds::Bounds,
    issue::IssueCode,
    scalars::{Instant, JsonInteger},
    sent::Sent,
    validation::Validation,
};

/// A link to be taken over. `url` and `slug` are required. The title and the
/// image may be longer than can be set today, as in older exports, and the expiration may be past.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url", "slug"]), transform = widest_texts)]
pub struct ImportLink {
    /// The members that the author decided.
    #[serde(flatten)]
    pub members: LinkMembers,
    /// The path of the short link; null for a free random one.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// A stored hash (Argon2id or Sink's), or a password in clear, to be hashed.
    pub password: Sent<String>,
    /// Identity of the link; a new one when absent or blank.
    #[schemars(length(max = LinkId::MAX_CHARS))]
    pub id: Sent<String>,
    /// When the link was made, in Unix seconds; now when absent.
    pub created_at: Sent<Instant>,
    /// When the link last changed, in Unix seconds; now when absent.
    pub updated_at: Sent<Instant>,
    /// The number of visits left of maxVisits; all of them when absent.
    #[schemars(range(min = 0, max = MaxVisits::MAX))]
    pub visits_left: Sent<JsonInteger>,
}

impl ImportLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<application::ImportLink, Problem> {
        let mut validation = Validation::default();
        let content = self
            .members
            .content(Body::Exported, &mut validation, bounds);
        let slug = if let Sent::Null = self.slug {
            None
        } else {
            validation.required(&["slug"], &self.slug, |slug| Slug::parse(slug))
        };
        let domain = domain_of(&mut validation, &self.domain);
        let key = slug.clone().map(|slug| LinkKey::new(domain.clone(), slug));
        let own = &bounds.own_addresses;
        validation.circles(content.as_ref().map(|it| it.circles(key.as_ref(), own)));
        let password = validation.optional(&["password"], &self.password, |text| {
            ImportedPassword::parse(text)
        });
        let id = validation.value(&["id"], &self.id);
        let id = id.filter(|id| !id.trim().is_empty());
        let id = id.and_then(|id| validation.member(&["id"], LinkId::parse(id)));
        let created_at =
            validation.optional(&["createdAt"], &self.created_at, |sent| sent.second());
        let updated_at =
            validation.optional(&["updatedAt"], &self.updated_at, |sent| sent.second());
        let most = content.as_ref().and_then(|content| content.life.max_visits);
        let visits_used = visits_used(&mut validation, most, &self.visits_left);
        validation.finish(|| {
            Some(application::ImportLink {
                id,
                domain,
                slug,
                created_at,
                updated_at,
                password,
                visits_used,
                ..application::ImportLink::of(content?)
            })
        })
    }
}

/// Returns the number of visits used of an imported link: an export says how many are left. A
/// link without a limit has none.
fn visits_used(
    validation: &mut Validation,
    most: Option<MaxVisits>,
    left: &Sent<JsonInteger>,
) -> u32 {
    let left = validation.value(&["visitsLeft"], left);
    let (Some(most), Some(JsonInteger(left))) = (most, left) else {
        return 0;
    };
    let left = u32::try_from(*left).ok();
    let used = left.and_then(|left| most.get().checked_sub(left));
    used.unwrap_or_else(|| {
        let message = "visitsLeft must be a number from 0 to maxVisits".to_owned();
        let expected = format!("0 to {}", most.get());
        validation.note(&["visitsLeft"], (IssueCode::Custom, message, expected));
        0
    })
}
