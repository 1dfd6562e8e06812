//! The key of a link on the wire: `slug`, and `domain` unless it is the default one; the `id` in its
//! place; and the public address in answers.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use slugline_application::WhichLink;
use slugline_domain::{DomainName, Host, LinkId, LinkKey, Slug, host::origin_of_host};

use crate::{Problem, issue::IssueCode, sent::Sent, validation::Validation};

/// A link that may be gone: `slug` or `id`, and not both.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SlugOrId {
    /// The slug of the link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// The id of the link, also if the link is in the trash or no longer exists.
    #[schemars(length(min = 1, max = LinkId::MAX_CHARS), regex(pattern = LinkId::PATTERN))]
    pub id: Sent<String>,
}

impl SlugOrId {
    /// Returns the link.
    ///
    /// # Errors
    /// Neither or both are there, or one is malformed.
    pub fn validate(&self) -> Result<WhichLink, Problem> {
        let mut validation = Validation::default();
        let key = optional_key(&mut validation, &self.domain, &self.slug);
        let id = validation.optional(&["id"], &self.id, |id| LinkId::parse(id));
        let mut note = |name, code, fault: &str, expected: &str| {
            validation.note(&[name], (code, fault.into(), expected.into()));
        };
        match (&self.slug, &self.id) {
            (Sent::Absent, Sent::Absent) => note(
                "slug",
                IssueCode::InvalidType,
                "slug and id are missing",
                "the slug of a link, or the id of one that no longer exists",
            ),
            (Sent::Absent, _) | (_, Sent::Absent) => {}
            (_, _) => note(
                "id",
                IssueCode::InvalidValue,
                "slug and id are both there",
                "slug or id alone",
            ),
        }
        validation.finish(|| key.map(WhichLink::Key).or(id.map(WhichLink::Id)))
    }
}

/// The domains that a listing covers, where they are all.
const ALL: &str = "*";

/// Reads the key of a link.
pub(crate) fn key(
    validation: &mut Validation,
    domain: &Sent<String>,
    slug: &Sent<String>,
) -> Option<LinkKey> {
    let slug = validation.required(&["slug"], slug, |slug| Slug::parse(slug));
    let domain = domain_of(validation, domain);
    Some(LinkKey::new(domain, slug?))
}

/// Reads the key of a link that may be left out.
pub(crate) fn optional_key(
    validation: &mut Validation,
    domain: &Sent<String>,
    slug: &Sent<String>,
) -> Option<LinkKey> {
    let slug = validation.optional(&["slug"], slug, |slug| Slug::parse(slug));
    let domain = domain_of(validation, domain);
    Some(LinkKey::new(domain, slug?))
}

/// Reads a domain, which is the default one if it is left out or empty.
pub(crate) fn domain_of(validation: &mut Validation, domain: &Sent<String>) -> DomainName {
    let name = validation.optional(&["domain"], domain, |text| DomainName::parse(text.trim()));
    name.unwrap_or_default()
}

/// Reads the domain of a listing: as [`domain_of`], or `None` for all.
pub(crate) fn listed_domain(
    validation: &mut Validation,
    domain: &Sent<String>,
) -> Option<DomainName> {
    let is_all = matches!(domain, Sent::Value(text) if text.trim() == ALL);
    (!is_all).then(|| domain_of(validation, domain))
}

/// The schema of a member that names a domain.
pub(crate) fn host_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "maxLength": Host::MAX_CHARS})
}

/// The member `domain` of an answer: left out for the default one.
pub(crate) fn shown_domain(domain: &DomainName) -> Option<String> {
    domain.host().map(ToString::to_string)
}

/// The public address of a link, by the origin of the default domain, such as `https://sl.example`.
/// A named domain answers with the same scheme and on the same port.
pub(crate) fn short_link(key: &LinkKey, origin: &str) -> String {
    let LinkKey { domain, slug } = key;
    match domain.host() {
        Some(host) => format!("{}/{slug}", origin_of_host(origin, host.as_str())),
        None => format!("{origin}/{slug}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{faults::paths, reader::read};

    fn validate(sent: &Value) -> Result<WhichLink, Problem> {
        read::<SlugOrId>(sent)?.validate()
    }

    #[test]
    fn one_of_slug_and_id_names_the_link() {
        let slug = validate(&json!({"slug": " docs "})).unwrap();
        assert_eq!(slug, WhichLink::Key(LinkKey::parse("docs").unwrap()));
        let id = validate(&json!({"id": "docs-1"})).unwrap();
        assert_eq!(id, WhichLink::Id(LinkId::parse("docs-1").unwrap()));
    }

    #[test]
    fn every_fault_names_its_field() {
        for (sent, expected) in [
            (json!({}), &["slug"][..]),
            (json!({"slug": "docs", "id": "docs-1"}), &["id"]),
            (json!({"slug": "a/b"}), &["slug"]),
            (json!({"id": "a b"}), &["id"]),
            (json!({"id": ""}), &["id"]),
            (json!({"slug": "a/b", "id": "a b"}), &["slug", "id", "id"]),
        ] {
            assert_eq!(paths(validate(&sent)), expected, "{sent}");
        }
    }

    #[test]
    fn a_domain_that_is_left_out_is_the_default_one_and_a_star_stands_for_all() {
        let listed = |sent| listed_domain(&mut Validation::default(), &sent);
        let text = |text: &str| Sent::Value(text.to_owned());
        for default in [Sent::Absent, text(""), text(" ")] {
            assert_eq!(listed(default), Some(DomainName::DEFAULT));
        }
        assert_eq!(listed(text("*")), None);
        let named = listed(text("GO.example:80"));
        assert_eq!(named, DomainName::parse("go.example").ok());
        let mut validation = Validation::default();
        domain_of(&mut validation, &text("https://go.example/"));
        assert!(!validation.is_empty());
    }

    #[test]
    fn a_named_domain_has_the_scheme_and_the_port_of_the_default_one() {
        let short = |origin, text| short_link(&LinkKey::parse(text).unwrap(), origin);
        for (origin, text, address) in [
            ("https://sl.example", "docs", "https://sl.example/docs"),
            (
                "https://sl.example",
                "go.example/docs",
                "https://go.example/docs",
            ),
            (
                "http://localhost:8080",
                "go.example/docs",
                "http://go.example:8080/docs",
            ),
            ("http://[::1]", "go.example/docs", "http://go.example/docs"),
        ] {
            assert_eq!(short(origin, text), address);
        }
    }
}
