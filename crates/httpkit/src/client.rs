//! Who is on the other end.

use std::net::{IpAddr, Ipv4Addr};

use actix_web::{HttpRequest, http::header::AsHeaderName};
use ipnet::IpNet;
use slugline_domain::ProbeCaller;

/// Proxies whose forwarded headers are believed. Anybody else could write
/// anything into them.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Believes proxies in these networks.
    pub fn new(networks: Vec<IpNet>) -> Self {
        Self(networks)
    }

    /// The address of the client: the peer's, or what trusted proxies say of
    /// the first hop that is not one of them.
    pub fn client_address(&self, request: &HttpRequest) -> IpAddr {
        // Without a peer, which only happens in tests and on Unix sockets, the
        // client is this machine.
        let peer = request
            .peer_addr()
            .map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.ip());
        if !self.trusts(peer) {
            return peer.to_canonical();
        }
        let forwarded: Vec<IpAddr> = request
            .headers()
            .get_all("x-forwarded-for")
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .filter_map(parse_hop)
            .collect();
        // Each proxy appends the hop it saw, so the list is read from its end.
        let first_stranger = forwarded.iter().rev().find(|hop| !self.trusts(**hop));
        first_stranger
            .or(forwarded.first())
            .copied()
            .or_else(|| header(request, "x-real-ip").and_then(parse_hop))
            .unwrap_or(peer)
            .to_canonical()
    }

    pub(crate) fn trusts_peer_of(&self, request: &HttpRequest) -> bool {
        request
            .peer_addr()
            .is_some_and(|peer| self.trusts(peer.ip()))
    }

    /// Whether the address is a trusted proxy's.
    pub fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// A request header as text; absent when it is not text. A constant of
/// [`actix_web::http::header`] is found faster than a name in quotes.
pub fn header(request: &HttpRequest, name: impl AsHeaderName) -> Option<&str> {
    let value = request.headers().get(name)?.as_bytes();
    // A header has no control characters, so this is what `to_str` takes; that
    // looks at one byte after the other.
    let text = value.is_ascii().then(|| std::str::from_utf8(value))?;
    text.ok()
}

/// What the destinations that a client wants checked are told of it.
pub fn probe_caller(request: &HttpRequest) -> ProbeCaller {
    let text = |name| header(request, name).map(str::to_owned);
    ProbeCaller {
        accept_language: text("accept-language"),
        user_agent: text("user-agent"),
    }
}

/// An address, with or without a port and brackets.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    text.parse()
        .ok()
        .or_else(|| text.parse::<std::net::SocketAddr>().ok().map(|at| at.ip()))
        .or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn proxies() -> TrustedProxies {
        TrustedProxies::new(vec![
            "10.0.0.0/8".parse().unwrap(),
            "fd00::/8".parse().unwrap(),
        ])
    }

    fn seen(peer: &str, forwarded: &[&str]) -> String {
        let mut request = TestRequest::default().peer_addr(peer.parse().unwrap());
        for value in forwarded {
            request = request.append_header(("x-forwarded-for", *value));
        }
        proxies()
            .client_address(&request.to_http_request())
            .to_string()
    }

    #[test]
    fn a_stranger_cannot_choose_an_address() {
        assert_eq!(seen("192.0.2.1:5", &["198.51.100.7"]), "192.0.2.1");
    }

    #[test]
    fn trusted_hops_are_skipped_from_the_end() {
        assert_eq!(seen("10.0.0.1:5", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(
            seen("10.0.0.1:5", &["6.6.6.6, 198.51.100.7, 10.2.3.4"]),
            "198.51.100.7"
        );
        assert_eq!(
            seen("10.0.0.1:5", &["6.6.6.6", "198.51.100.7:80"]),
            "198.51.100.7"
        );
        assert_eq!(seen("[fd00::1]:5", &["[2001:db8::1]"]), "2001:db8::1");
        assert_eq!(seen("10.0.0.1:5", &["garbage"]), "10.0.0.1");
        assert_eq!(seen("10.0.0.1:5", &["10.0.0.9"]), "10.0.0.9");
        assert_eq!(
            seen("[::ffff:10.0.0.1]:5", &["198.51.100.7"]),
            "198.51.100.7"
        );
    }
}
