//! The origins of addresses of the web.

use std::{net::IpAddr, sync::Arc};

use thiserror::Error;
use url::{Position, Url, quirks::domain_to_unicode};

use crate::{
    Host,
    host::{origin_of_host, without_port},
    text::trimmed,
};

/// Scheme, host and port of an address of the web, in one spelling: in lower case, the host in ASCII
/// and without a final dot, no port where it is the scheme's own, and without a slash at the end:
/// `https://sl.example`. A clone is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(Arc<str>);

text_form!(Origin: as_str, Display, FromStr<OriginError>);

impl Origin {
    /// Reads an address that is an origin, maybe with slashes at its end.
    ///
    /// # Errors
    /// The text is no address of the web, or has an account, a path, a query or a fragment.
    pub fn parse(text: &str) -> Result<Self, OriginError> {
        let url = Url::parse(trimmed(text)).map_err(|_| OriginError)?;
        let behind = &url[Position::BeforePath..];
        let is_bare = behind.bytes().all(|b| b == b'/');
        Self::without_account(&url)
            .filter(|_| is_bare)
            .ok_or(OriginError)
    }

    /// Returns the origin of an address; `None` if it is not one of the web.
    pub fn of(address: &Url) -> Option<Self> {
        let scheme = Some(address.scheme()).filter(|scheme| matches!(*scheme, "http" | "https"))?;
        let host = Host::of(&address.host()?).ok()?;
        let port = address.port();
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        Some(Self(format!("{scheme}://{host}{port}").into()))
    }

    pub(crate) fn without_account(address: &Url) -> Option<Self> {
        Self::of(address).filter(|_| !address.authority().contains('@'))
    }

    /// Returns the origin of another host that this service has, with the same scheme and port.
    #[must_use]
    pub fn of_host(&self, host: &str) -> Self {
        Self(origin_of_host(&self.0, host).into())
    }

    /// Returns `http` or `https`.
    pub fn scheme(&self) -> &str {
        self.split().0
    }

    /// Returns the host, with the port if there is one: `sl.example:8080`.
    pub fn host_and_port(&self) -> &str {
        self.split().1
    }

    /// Returns the host without the port; an IPv6 address keeps its brackets.
    pub fn host_name(&self) -> &str {
        without_port(self.host_and_port())
    }

    /// Returns the origin with the characters that its host stands for, such as
    /// `https://bücher.example`; `None` if these are the ones that it has.
    pub fn in_unicode(&self) -> Option<String> {
        let host = domain_to_unicode(self.host_name());
        let differs = !host.is_empty() && host != self.host_name();
        differs.then(|| origin_of_host(&self.0, &host))
    }

    /// Returns whether only programs of this machine reach the host by its name.
    pub fn is_loopback(&self) -> bool {
        let name = self.host_name();
        let address = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        name == "localhost"
            || address
                .unwrap_or(name)
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }

    fn split(&self) -> (&str, &str) {
        self.0.split_once("://").expect("an origin has a scheme")
    }
}

/// Returns whether two addresses of the web are one, in whichever spelling of the origin, and with a
/// slash at the end or without. One with an account is none.
pub fn is_same_address(one: &str, other: &str) -> bool {
    let parts = |address: &str| {
        let url = Url::parse(address).ok()?;
        let behind = url[Position::BeforePath..].trim_end_matches('/');
        Some((Origin::without_account(&url)?, behind.to_owned()))
    };
    one == other || parts(one).is_some_and(|one| parts(other) == Some(one))
}

/// The text is not an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an origin is http:// or https://, a host and maybe a port, such as https://sl.example")]
pub struct OriginError;

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn origin(text: &str) -> Origin {
        text.parse().unwrap()
    }

    #[rstest]
    #[case("https://sl.example/", "https://sl.example")]
    #[case(" https://sl.example// ", "https://sl.example")]
    #[case("HTTPS://SL.Example:443", "https://sl.example")]
    #[case("http://sl.example:80", "http://sl.example")]
    #[case("http://sl.example:443", "http://sl.example:443")]
    #[case("https://sl.example.:8443/", "https://sl.example:8443")]
    #[case("https://bücher.example", "https://xn--bcher-kva.example")]
    #[case("https://BU\u{308}CHER.example", "https://xn--bcher-kva.example")]
    #[case("https://XN--BCHER-KVA.example", "https://xn--bcher-kva.example")]
    #[case("http://[::1]:8080", "http://[::1]:8080")]
    #[case("http://[0:0::1]", "http://[::1]")]
    fn an_origin_has_one_spelling(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(origin(text).as_str(), expected);
    }

    #[rstest]
    #[case("sl.example")]
    #[case("ftp://sl.example")]
    #[case("https://")]
    #[case("https://a/b")]
    #[case("https://a?b")]
    #[case("https://a/?")]
    #[case("https://a#b")]
    #[case("https://u@a")]
    #[case("https://a\"b")]
    #[case("https://a:b")]
    #[case("https://a b")]
    fn an_origin_has_no_path_and_no_surprises(#[case] text: &str) {
        assert_eq!(text.parse::<Origin>(), Err(OriginError), "{text}");
    }

    #[rstest]
    #[case(
        "https://xn--bcher-kva.example:8443",
        Some("https://bücher.example:8443")
    )]
    #[case("https://sl.example", None)]
    #[case("http://[::1]:8080", None)]
    #[case("http://127.0.0.1", None)]
    fn an_origin_is_also_shown_as_it_is_written(
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(origin(text).in_unicode().as_deref(), expected);
    }

    #[rstest]
    #[case("https://sl.example/api/mcp", true)]
    #[case("https://sl.example/api/mcp/", true)]
    #[case("HTTPS://SL.example:443/api/mcp", true)]
    #[case("https://sl.example./api/mcp", true)]
    #[case("https://sl.example/API/mcp", false)]
    #[case("https://sl.example/api/mcp?a", false)]
    #[case("https://sl.example/api/mcp#a", false)]
    #[case("https://sl.example:8443/api/mcp", false)]
    #[case("https://a@sl.example/api/mcp", false)]
    #[case("http://sl.example/api/mcp", false)]
    #[case("https://other.example/api/mcp", false)]
    #[case("", false)]
    fn an_address_is_one_in_every_spelling_of_its_origin(#[case] text: &str, #[case] same: bool) {
        assert_eq!(is_same_address(text, "https://sl.example/api/mcp"), same);
    }

    #[test]
    fn another_host_of_the_service_has_its_scheme_and_port() {
        for (text, other) in [
            ("https://sl.example", "https://go.example"),
            ("http://localhost:8080", "http://go.example:8080"),
            ("http://[::1]:8080", "http://go.example:8080"),
        ] {
            assert_eq!(origin(text).of_host("go.example").as_str(), other);
        }
    }

    #[test]
    fn an_origin_is_taken_apart() {
        for (text, scheme, host_and_port, host_name) in [
            ("https://sl.example", "https", "sl.example", "sl.example"),
            (
                "http://localhost:8080",
                "http",
                "localhost:8080",
                "localhost",
            ),
            ("http://[::1]:8080", "http", "[::1]:8080", "[::1]"),
            ("http://[::1]", "http", "[::1]", "[::1]"),
        ] {
            let origin = origin(text);
            assert_eq!(origin.scheme(), scheme);
            assert_eq!(origin.host_and_port(), host_and_port);
            assert_eq!(origin.host_name(), host_name);
        }
    }

    #[test]
    fn loopback_names_are_recognised_exactly() {
        for own in [
            "http://localhost:8080",
            "http://LOCALHOST.",
            "http://127.0.0.1",
            "http://[::1]:8080",
            "http://[::1]",
        ] {
            assert!(origin(own).is_loopback(), "{own}");
        }
        for other in [
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://10.0.0.1",
        ] {
            assert!(!origin(other).is_loopback(), "{other}");
        }
    }
}
