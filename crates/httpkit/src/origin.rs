//! The public origin of the service.

use std::{fmt, net::IpAddr, str::FromStr, sync::Arc};

use actix_web::{
    HttpRequest,
    dev::RequestHead,
    http::{header::HOST, uri::Authority},
};
use slugline_domain::host::{origin_of_host, without_port};
use thiserror::Error;

use crate::client::TrustedProxies;

/// Scheme, host and port under which clients reach the service, without a
/// trailing slash: `https://sl.example`. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(Arc<str>);

impl Origin {
    /// Returns the configured origin, or the origin to which the request was sent.
    pub(crate) fn of(
        request: &HttpRequest,
        configured: Option<&Origin>,
        proxies: &TrustedProxies,
    ) -> Origin {
        if let Some(origin) = configured {
            return origin.clone();
        }
        let told = proxies.told_scheme(request.head());
        let is_secure = told.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
        let scheme = if is_secure { "https" } else { "http" };
        let host = requested_host(request.head(), proxies).unwrap_or("localhost");
        Origin(format!("{scheme}://{host}").into())
    }

    /// Returns the origin of another host that this service has, with the same scheme and port.
    #[must_use]
    pub fn of_host(&self, host: &str) -> Self {
        Self(origin_of_host(&self.0, host).into())
    }

    /// Returns the origin as text.
    pub fn as_str(&self) -> &str {
        &self.0
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

/// Returns the host, and the port if any, to which the client sent the request.
pub(crate) fn requested_host<'r>(
    head: &'r RequestHead,
    proxies: &TrustedProxies,
) -> Option<&'r str> {
    let told = proxies.told_host(head).filter(|host| is_plain(host));
    told.or_else(|| {
        let host = head.headers.get(&HOST)?.to_str().ok()?;
        is_plain(host).then_some(host)
    })
    .or_else(|| head.uri.authority().map(Authority::as_str))
}

/// Returns whether a host is safe in JSON, HTML and headers without escapes.
fn is_plain(host: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b);
    !host.is_empty() && host.bytes().all(allowed)
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let text = text.trim().trim_end_matches('/');
        let host = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .ok_or(OriginError)?;
        if is_plain(host) {
            Ok(Self(text.into()))
        } else {
            Err(OriginError)
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an origin is http:// or https://, a host and maybe a port, such as https://sl.example")]
pub struct OriginError;

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::client::ClientHeader;

    #[test]
    fn another_host_of_the_service_has_its_scheme_and_port() {
        for (origin, other) in [
            ("https://sl.example", "https://go.example"),
            ("http://localhost:8080", "http://go.example:8080"),
            ("http://[::1]:8080", "http://go.example:8080"),
        ] {
            let origin: Origin = origin.parse().unwrap();
            assert_eq!(origin.of_host("go.example").as_str(), other);
        }
    }

    #[test]
    fn an_origin_has_no_path_and_no_surprises() {
        for (text, origin) in [
            ("https://sl.example/", "https://sl.example"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(text.parse::<Origin>().unwrap().as_str(), origin);
        }
        for wrong in [
            "sl.example",
            "ftp://sl.example",
            "https://",
            "https://a/b",
            "https://u@a",
            "https://a\"b",
        ] {
            assert_eq!(wrong.parse::<Origin>(), Err(OriginError), "{wrong}");
        }
    }

    #[test]
    fn an_origin_is_taken_apart() {
        for (origin, scheme, host_and_port, host_name) in [
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
            let origin: Origin = origin.parse().unwrap();
            assert_eq!(origin.scheme(), scheme);
            assert_eq!(origin.host_and_port(), host_and_port);
            assert_eq!(origin.host_name(), host_name);
        }
    }

    #[test]
    fn loopback_names_are_recognised_exactly() {
        let is_loopback = |text: &str| text.parse::<Origin>().unwrap().is_loopback();
        for own in [
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://[::1]:8080",
            "http://[::1]",
        ] {
            assert!(is_loopback(own), "{own}");
        }
        for other in [
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://10.0.0.1",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }

    fn trusted() -> TrustedProxies {
        TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap()], ClientHeader::default())
    }

    #[test]
    fn of_several_hosts_the_one_that_the_trusted_peer_wrote_counts() {
        let of = |hosts: &[&str]| {
            let mut request = TestRequest::default()
                .peer_addr("10.0.0.1:5".parse().unwrap())
                .insert_header(("host", "inner:8080"));
            for host in hosts {
                request = request.append_header(("x-forwarded-host", *host));
            }
            Origin::of(&request.to_http_request(), None, &trusted()).to_string()
        };
        assert_eq!(of(&["evil.example, sl.example"]), "http://sl.example");
        assert_eq!(of(&["evil.example", "sl.example"]), "http://sl.example");
        assert_eq!(of(&["evil.example, sl.example,"]), "http://sl.example");
        for unusable in [",", "sl.example, a/b", ""] {
            assert_eq!(of(&[unusable]), "http://inner:8080", "{unusable:?}");
        }
    }

    #[test]
    fn where_forwarded_is_the_header_its_own_host_and_scheme_count() {
        let networks = vec!["10.0.0.0/8".parse().unwrap()];
        let proxies = TrustedProxies::new(networks, "Forwarded".parse().unwrap());
        let of = |forwarded: &[&str]| {
            let mut request = TestRequest::default()
                .peer_addr("10.0.0.1:5".parse().unwrap())
                .insert_header(("host", "inner:8080"))
                .insert_header(("x-forwarded-host", "evil.example"))
                .insert_header(("x-forwarded-proto", "https"));
            for line in forwarded {
                request = request.append_header(("forwarded", *line));
            }
            Origin::of(&request.to_http_request(), None, &proxies).to_string()
        };
        let ours = "for=192.0.2.1;Proto=HTTPS;host=\"sl.example:8443\"";
        let theirs = "for=6.6.6.6;proto=http;host=evil.example";
        for lines in [
            &[ours][..],
            &[&format!("{theirs}, {ours}")],
            &[theirs, ours],
            &[
                &format!("for=\", {ours}"),
                "for=10.0.0.2;host=inner;proto=http",
            ],
        ] {
            assert_eq!(of(lines), "https://sl.example:8443", "{lines:?}");
        }
        assert_eq!(of(&["for=192.0.2.1"]), "http://inner:8080");
        assert_eq!(of(&["for=192.0.2.1;host=\"a/b\""]), "http://inner:8080");
        assert_eq!(of(&[]), "http://inner:8080");
    }

    #[test]
    fn the_configured_origin_wins_over_the_request_and_trusted_headers_over_host() {
        let trusted = trusted();
        let request = |peer: &str| {
            TestRequest::default()
                .peer_addr(peer.parse().unwrap())
                .insert_header(("host", "inner:8080"))
                .insert_header(("x-forwarded-host", "sl.example"))
                .insert_header(("x-forwarded-proto", "https"))
                .to_http_request()
        };
        let of = |peer, configured| Origin::of(&request(peer), configured, &trusted).to_string();
        assert_eq!(of("10.0.0.1:5", None), "https://sl.example");
        assert_eq!(of("192.0.2.1:5", None), "http://inner:8080");
        let configured: Origin = "https://short.example".parse().unwrap();
        assert_eq!(of("10.0.0.1:5", Some(&configured)), "https://short.example");
    }
}
