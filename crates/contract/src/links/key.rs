//! The key of a link on the wire: `slug`, and `domain` unless it is the default one.

use schemars::{Schema, SchemaGenerator, json_schema};
use slugline_domain::{DomainName, Host, LinkKey, Slug};

use crate::{sent::Sent, validation::Validation};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
