//! Entry points for `fuzz/`: headers that proxies and content networks add.

use std::net::SocketAddr;

use actix_web::{
    http::header::{HeaderName, HeaderValue},
    test::TestRequest,
};
use slugline_domain::BaseUrl;

use crate::{
    base_url::base_url_of,
    cdn::PlaceHeaders,
    client::{ClientHeader, TrustedProxies},
};

/// Headers that describe a client.
const NAMES: [&str; 17] = [
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "forwarded",
    "host",
    "cf-ipcountry",
    "cf-ipcity",
    "cf-iplatitude",
    "cf-iplongitude",
    "cf-timezone",
    "cf-ray",
    "x-vercel-ip-country",
    "x-vercel-ip-city",
    "x-vercel-ip-latitude",
    "cloudfront-viewer-country",
    "cloudfront-viewer-city",
];

/// Takes bytes for headers, one line each: a byte that selects the name, then the value.
/// The headers come once from a trusted proxy and once from an untrusted peer.
///
/// # Panics
/// An untrusted peer's headers count, an origin holds characters that must not stand in a
/// page, or a trusted address is taken for the client's although another one is named.
pub fn fuzz_headers(bytes: &[u8]) {
    let networks = vec!["10.0.0.0/8".parse().expect("a network")];
    let proxies = TrustedProxies::new(networks, ClientHeader::default());
    let request = |peer: &str| {
        let peer: SocketAddr = peer.parse().expect("an address");
        let mut request = TestRequest::default().peer_addr(peer);
        for line in bytes.split(|byte| *byte == b'\n') {
            let Some((name, value)) = line.split_first() else {
                continue;
            };
            let name = NAMES[usize::from(*name) % NAMES.len()];
            if let Ok(value) = HeaderValue::from_bytes(value) {
                request = request.append_header((HeaderName::from_static(name), value));
            }
        }
        request.to_http_request()
    };
    let stranger = request("192.0.2.1:5");
    assert_eq!(proxies.client_address(&stranger).to_string(), "192.0.2.1");
    assert_plain(&base_url_of(&stranger, None, &proxies));
    let proxy = request("10.0.0.1:5");
    let client = proxies.client_address(&proxy);
    assert_eq!(client, client.to_canonical());
    assert_plain(&base_url_of(&proxy, None, &proxies));
    if let Some(place) = PlaceHeaders::Auto.place(&proxy) {
        assert!(!place.is_unknown());
    }
}

fn assert_plain(base: &BaseUrl) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":/.-_[]".contains(&byte);
    assert!(
        base.as_str().starts_with("http") && base.as_str().bytes().all(plain),
        "{base}"
    );
}
