//! The public address of the service.

use actix_web::{
    HttpRequest,
    dev::RequestHead,
    http::{header::HOST, uri::Authority},
};
use slugline_domain::BaseUrl;

use crate::client::TrustedProxies;

/// Returns the configured address, or the origin to which the request was sent.
pub(crate) fn base_url_of(
    request: &HttpRequest,
    configured: Option<&BaseUrl>,
    proxies: &TrustedProxies,
) -> BaseUrl {
    if let Some(base) = configured {
        return base.clone();
    }
    let told = proxies.told_scheme(request.head());
    let is_secure = told.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
    let scheme = if is_secure { "https" } else { "http" };
    let at = |host: &str| format!("{scheme}://{host}").parse().ok();
    let asked = requested_host(request.head(), proxies).and_then(at);
    asked.unwrap_or_else(|| at("localhost").expect("it is a host"))
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

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::client::ClientHeader;

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
            base_url_of(&request.to_http_request(), None, &trusted()).to_string()
        };
        assert_eq!(of(&["evil.example, sl.example"]), "http://sl.example");
        assert_eq!(of(&["evil.example", "sl.example"]), "http://sl.example");
        assert_eq!(of(&["evil.example, sl.example,"]), "http://sl.example");
        assert_eq!(of(&["SL.Example.:80"]), "http://sl.example");
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
            base_url_of(&request.to_http_request(), None, &proxies).to_string()
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
        let of = |peer, configured| base_url_of(&request(peer), configured, &trusted).to_string();
        assert_eq!(of("10.0.0.1:5", None), "https://sl.example");
        assert_eq!(of("192.0.2.1:5", None), "http://inner:8080");
        let configured: BaseUrl = "https://short.example/go".parse().unwrap();
        assert_eq!(
            of("10.0.0.1:5", Some(&configured)),
            "https://short.example/go"
        );
    }
}
