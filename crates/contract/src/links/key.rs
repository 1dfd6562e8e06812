//! The key of a link on the wire: `slug`, and `domain` unless it is the default one.

use schemars::{Schema, SchemaGenerator, json_schema};
use slugline_domain::{DomainName, Host, HostError, LinkKey, Slug};

use crate::{
    issue::{Explain, IssueCode},
    sent::{Fault, Sent},
    validation::Validation,
};

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

/// Reads a domain, which is the default one if it is left out, null or empty.
pub(crate) fn domain_of(validation: &mut Validation, domain: &Sent<String>) -> DomainName {
    if matches!(domain, Sent::Null) {
        return DomainName::DEFAULT;
    }
    let name = validation.optional(&["domain"], domain, |text| DomainName::parse(text.trim()));
    name.unwrap_or_default()
}

/// Reads the domain of a listing: as [`domain_of`], or `None` for all.
pub(crate) fn listed_domain(
    validation: &mut Validation,
    domain: &Sent<String>,
) -> Option<DomainName> {
    match domain {
        Sent::Value(text) if text.trim() == ALL => None,
        _ => Some(domain_of(validation, domain)),
    }
}

/// The member `domain` of an answer: left out for the default one.
pub(crate) fn shown_domain(domain: &DomainName) -> Option<String> {
    domain.host().map(ToString::to_string)
}

/// The schema of a member that names a domain.
pub(crate) fn host_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "maxLength": Host::MAX_CHARS})
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

/// The origin of another host of the service whose origin this is: with the same scheme and port.
pub fn origin_of_host(origin: &str, host: &str) -> String {
    let (scheme, authority) = origin.split_once("://").unwrap_or(("https", origin));
    let port = match authority.rsplit_once(':') {
        Some((_, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            &authority[authority.len() - port.len() - 1..]
        }
        Some(_) | None => "",
    };
    format!("{scheme}://{host}{port}")
}

impl Explain for HostError {
    fn explain(&self) -> Fault {
        let code = match self {
            Self::Empty => IssueCode::TooSmall,
            _ => IssueCode::InvalidFormat,
        };
        (
            code,
            self.to_string(),
            "a host such as go.example.com".into(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_domain_that_is_left_out_is_the_default_one_and_a_star_stands_for_all() {
        let listed = |sent| listed_domain(&mut Validation::default(), &sent);
        let text = |text: &str| Sent::Value(text.to_owned());
        for default in [Sent::Absent, Sent::Null, text(""), text(" ")] {
            assert_eq!(listed(default), Some(DomainName::DEFAULT));
        }
        assert_eq!(listed(text("*")), None);
        assert_eq!(
            listed(text("GO.example:80")),
            DomainName::parse("go.example").ok()
        );
        let mut validation = Validation::default();
        domain_of(&mut validation, &text("https://go.example/"));
        assert!(!validation.is_empty());
    }
}
