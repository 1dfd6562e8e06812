//! Bringing a link back, and erasing one.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::{self as application, WhichLink};
use slugline_domain::{Change, DomainName, LinkId, LinkKey, Revision, Slug};

use super::key::{host_schema, key, key_or_id};
use crate::{
    Problem,
    issue::IssueCode,
    scalars::{Instant, IntOrString},
    sent::Sent,
    validation::Validation,
};

/// The link to bring back, and its version.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["id"]))]
pub struct RestoreLink {
    /// The id of the link, which is in the trash or there.
    #[schemars(length(min = 1, max = LinkId::MAX_CHARS), regex(pattern = LinkId::PATTERN))]
    pub id: Sent<String>,
    /// The number of the version. Left out, it is the last one of a deleted link, and the one before the present one of another.
    #[schemars(range(min = 1))]
    pub version: Sent<IntOrString>,
    /// Another slug for a deleted link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// The host of another domain for a deleted link; empty for the default one.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Another expiry: Unix seconds or RFC 3339, in the future; null removes that of the version.
    #[schemars(extend("type" = ["integer", "string", "null"], "nullable" = true))]
    pub expiration: Sent<Instant>,
}

impl RestoreLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self) -> Result<application::RestoreLink, Problem> {
        let mut validation = Validation::default();
        let id = validation.required(&["id"], &self.id, |id| LinkId::parse(id));
        let version = validation.value(&["version"], &self.version);
        let version = version.and_then(|IntOrString(number)| revision(&mut validation, *number));
        let slug = validation.optional(&["slug"], &self.slug, |slug| Slug::parse(slug));
        let domain = validation.optional(&["domain"], &self.domain, |text| {
            DomainName::parse(text.trim())
        });
        let planned = |sent: &Instant| sent.planned();
        let expires_at = if let Sent::Null = self.expiration {
            Change::Clear
        } else {
            let sent = validation.optional(&["expiration"], &self.expiration, planned);
            sent.map_or(Change::Keep, Change::Set)
        };
        validation.finish(|| {
            Some(application::RestoreLink {
                id: id?,
                version,
                slug,
                domain,
                expires_at,
            })
        })
    }
}

fn revision(validation: &mut Validation, number: i64) -> Option<Revision> {
    if number < 1 {
        let fault = format!("version {number} is less than 1");
        let expected = "a number from GET /api/link/history".to_owned();
        validation.note(&["version"], (IssueCode::TooSmall, fault, expected));
        return None;
    }
    Some(Revision::new(number - 1))
}

/// A link to delete: `slug`, or with `purge` also the `id` of one in the trash.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LinkDeletion {
    /// The slug of the link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// The id of the link, also if it is in the trash. Needs purge.
    #[schemars(length(min = 1, max = LinkId::MAX_CHARS), regex(pattern = LinkId::PATTERN))]
    pub id: Sent<String>,
    /// true: erases the link with all of its versions, for good. Needs the scope `admin`.
    #[schemars(extend("default" = false))]
    pub purge: Sent<bool>,
}

/// The requested deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// Into the trash.
    Delete(LinkKey),
    /// For good.
    Purge(WhichLink),
}

impl LinkDeletion {
    /// Returns the link, and what becomes of it.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or malformed.
    pub fn validate(&self) -> Result<Deletion, Problem> {
        let Self {
            slug,
            domain,
            id,
            purge,
        } = self;
        let mut validation = Validation::default();
        let purge = validation.value(&["purge"], purge).copied();
        if purge == Some(true) {
            let which = key_or_id(&mut validation, domain, slug, id);
            return validation.finish(|| which.map(Deletion::Purge));
        }
        if *id != Sent::Absent {
            let message = "id names a link to purge".to_owned();
            let expected = "slug in its place, or purge: true beside it".to_owned();
            validation.note(&["id"], (IssueCode::Custom, message, expected));
        }
        let key = key(&mut validation, domain, slug);
        validation.finish(|| key.map(Deletion::Delete))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{faults::paths, reader::read};

    #[test]
    fn only_a_purge_names_a_link_by_its_id() {
        let deletion = |sent: Value| read::<LinkDeletion>(&sent)?.validate();
        let key = LinkKey::parse("docs").unwrap();
        let id = LinkId::parse("x").unwrap();
        let slug = deletion(json!({"slug": "docs", "purge": false})).unwrap();
        assert_eq!(slug, Deletion::Delete(key.clone()));
        let purged = deletion(json!({"slug": "docs", "purge": true})).unwrap();
        assert_eq!(purged, Deletion::Purge(WhichLink::Key(key)));
        let by_id = deletion(json!({"id": "x", "purge": true})).unwrap();
        assert_eq!(by_id, Deletion::Purge(WhichLink::Id(id)));
        assert_eq!(paths(deletion(json!({"id": "x"}))), ["id", "slug"]);
        assert_eq!(paths(deletion(json!({"purge": true}))), ["slug"]);
        let wrong = deletion(json!({"slug": "docs", "purge": "yes"}));
        assert_eq!(paths(wrong), ["purge"]);
    }

    #[test]
    fn every_fault_of_a_return_names_its_field() {
        let restore = |sent: Value| read::<RestoreLink>(&sent)?.validate();
        let all = restore(json!({"id": "x", "version": 3, "slug": "b", "domain": "",
            "expiration": null}));
        let all = all.unwrap();
        assert_eq!(all.version, Some(Revision::new(2)));
        assert_eq!(all.domain, Some(DomainName::DEFAULT));
        assert_eq!(all.expires_at, Change::Clear);
        let wrong =
            restore(json!({"version": 0, "slug": "a/b", "domain": "a b", "expiration": "x"}));
        let expected = ["id", "version", "slug", "domain", "expiration"];
        assert_eq!(paths(wrong), expected);
    }
}
