//! The domain of a link in answers, and the link's public address.

use slugline_domain::{DomainName, LinkKey, host::origin_of_host};

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
}
