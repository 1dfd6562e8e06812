//! The head of a visitor's request, for the destination.

use actix_web::{
    HttpRequest,
    http::header::{self, HeaderMap},
};
use slugline_domain::HeaderLine;
use slugline_httpkit::{Edge, elements_from_end};

/// Headers of one connection, not of the message (RFC 9110 §7.6.1).
const OF_THE_CONNECTION: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers that destinations do not get: credentials, which a browser sends to
/// every link of our origin once it sent them to one; the visitor's identity,
/// as servers in front of us write it; and headers that only we may write.
/// Actix has already answered `expect`.
const NOT_FOR_DESTINATIONS: [&str; 20] = [
    "authorization",
    "client-ip",
    "content-length",
    "cookie",
    "expect",
    "forwarded",
    "from",
    "host",
    "oauth-token",
    "remote-user",
    "via",
    "x-access-token",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-email",
    "x-groups",
    "x-id-token",
    "x-real-ip",
    "x-user",
    "x-userinfo",
];

/// Prefixes of such headers, as the documentation of the products names them.
/// Networks: Cloudflare, `CloudFront`, Fastly, Fly, Akamai, Azure, Google and
/// AWS. Identity: oauth2-proxy, nginx's and Traefik's `auth_request` recipes,
/// Authelia, authentik, Pomerium, Vouch, Kong, `mod_auth_openidc`, Tailscale
/// and client certificates (RFC 9440).
const NOT_FOR_DESTINATIONS_PREFIXES: [&str; 44] = [
    "akamai-",
    "cdn-",
    "cf-",
    "client-cert",
    "cloudfront-",
    "fastly-",
    "fly-",
    "gap-",
    "impersonate-",
    "oidc-",
    "oidc_",
    "remote-",
    "ssl-",
    "ssl_",
    "tailscale-",
    "true-client-",
    "x-akamai-",
    "x-amzn-",
    "x-appengine-",
    "x-arr-",
    "x-auth-",
    "x-authelia-",
    "x-authenticated-",
    "x-authentik-",
    "x-azure-",
    "x-client-cert",
    "x-consumer-",
    "x-credential-",
    "x-envoy-",
    "x-forwarded-",
    "x-goog-authenticated-",
    "x-goog-iap-",
    "x-jwt-",
    "x-link-",
    "x-ms-client-",
    "x-ms-token-",
    "x-original-",
    "x-pomerium-",
    "x-remote-",
    "x-ssl-",
    "x-token-",
    "x-user-",
    "x-vouch-",
    "x-webauth-",
];

/// The visitor's headers that pass, and the visitor's address, protocol and
/// host.
pub(super) fn headers(request: &HttpRequest, edge: &Edge, without_body: bool) -> Vec<HeaderLine> {
    let nominated = nominated(request.headers());
    let passes = |name: &str| {
        is_for_destinations(name)
            && !nominated.iter().any(|other| other == name)
            && !(without_body && name.starts_with("content-"))
    };
    let base = edge.base_url(request);
    let origin = base.origin();
    let client = edge.client_address(request).to_string();
    let ours = [
        ("x-forwarded-for", client.as_str()),
        ("x-forwarded-proto", origin.scheme()),
        ("x-forwarded-host", origin.host_and_port()),
    ];
    let theirs = request.headers().iter();
    theirs
        .filter(|(name, _)| passes(name.as_str()))
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .chain(ours.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec())))
        .collect()
}

fn is_for_destinations(name: &str) -> bool {
    let held_back = NOT_FOR_DESTINATIONS.contains(&name)
        || OF_THE_CONNECTION.contains(&name)
        || NOT_FOR_DESTINATIONS_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix));
    !held_back
}

/// The headers that a `Connection` header claims for its connection.
pub(super) fn nominated(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::CONNECTION);
    let names = values.flat_map(|line| elements_from_end(line.as_bytes()));
    names
        .map(|name| String::from_utf8_lossy(name).to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_identities_stay_here_and_other_headers_pass() {
        for kept in [
            "authorization",
            "cookie",
            "proxy-authorization",
            "remote-user",
            "x-auth-request-email",
            "x-auth-request-access-token",
            "x-forwarded-user",
            "x-forwarded-for",
            "x-remote-user",
            "x-amzn-oidc-data",
            "x-goog-iap-jwt-assertion",
            "x-ms-client-principal",
            "x-pomerium-jwt-assertion",
            "tailscale-user-login",
            "cf-access-jwt-assertion",
            "cf-connecting-ip",
            "true-client-ip",
            "fastly-client-ip",
            "x-real-ip",
            "x-link-password",
            "ssl-client-cert",
            "client-cert-chain",
        ] {
            assert!(!is_for_destinations(kept), "{kept}");
        }
        for passed in [
            "accept",
            "accept-language",
            "content-type",
            "if-none-match",
            "range",
            "referer",
            "user-agent",
            "stripe-signature",
            "x-github-event",
            "x-hub-signature-256",
            "x-custom",
            "webhook-id",
        ] {
            assert!(is_for_destinations(passed), "{passed}");
        }
    }
}
