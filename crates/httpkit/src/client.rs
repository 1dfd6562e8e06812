//! The address of the client behind trusted proxies.

use std::{
    borrow::Cow,
    net::{IpAddr, Ipv4Addr},
    str::{self, FromStr},
};

use actix_web::{
    HttpRequest,
    dev::RequestHead,
    http::header::{FORWARDED, HeaderName, HeaderValue, X_FORWARDED_FOR},
};
use ipnet::IpNet;
use slugline_domain::ProbeCaller;
use thiserror::Error;

use crate::header::{elements_from_end, header, split_from_end};

/// The proxies whose forwarded headers the service trusts. Any other client could write
/// anything into them.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    header: ClientHeader,
}

/// The header in which trusted proxies name the client. There is only one, because a
/// proxy passes other such headers on as clients wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientHeader(HeaderName);

impl TrustedProxies {
    /// Trusts this header of proxies in these networks.
    pub fn new(networks: Vec<IpNet>, header: ClientHeader) -> Self {
        Self { networks, header }
    }

    /// Returns whether no proxy is trusted.
    pub fn is_empty(&self) -> bool {
        self.networks.is_empty()
    }

    /// Returns the client's address: the peer's, or the first hop before the trusted
    /// proxies.
    pub fn client_address(&self, request: &HttpRequest) -> IpAddr {
        let peer = peer_address(request);
        if !self.trusts(peer) {
            return peer.to_canonical();
        }
        // Each proxy appends the hop that it saw. So the list is read from its end, as
        // long as a trusted proxy wrote the entry. Reading stops at a hop that is no
        // address.
        let mut client = peer;
        for hop in self.hops_from_end(request.head()) {
            let Some(hop) = self.header.parse_hop(hop) else {
                break;
            };
            client = hop;
            if !self.trusts(hop) {
                break;
            }
        }
        client.to_canonical()
    }

    /// Returns the host, and the port if any, that the trusted peer says the client asked for.
    pub(crate) fn told_host<'r>(&self, head: &'r RequestHead) -> Option<&'r str> {
        if !self.trusts_peer_in(head) {
            return None;
        }
        if self.header.0 == FORWARDED {
            return self.told_in_forwarded(head, "host");
        }
        // The trusted peer wrote the last host; a client may have written those before it.
        let hosts = head.headers.get_all("x-forwarded-host").last()?;
        str::from_utf8(elements_from_end(hosts.as_bytes()).next()?).ok()
    }

    /// Returns the scheme that the trusted peer says the client used.
    pub(crate) fn told_scheme<'r>(&self, head: &'r RequestHead) -> Option<&'r str> {
        if !self.trusts_peer_in(head) {
            return None;
        }
        if self.header.0 == FORWARDED {
            return self.told_in_forwarded(head, "proto");
        }
        // The first proxy in a row knows the client's scheme. At worst a client forges
        // it, which only chooses between two words.
        let schemes = head.headers.get("x-forwarded-proto")?;
        str::from_utf8(elements_from_end(schemes.as_bytes()).last()?).ok()
    }

    /// Returns a parameter of `Forwarded` (RFC 7239, section 5) as the trusted proxy wrote it that is
    /// next to the client.
    fn told_in_forwarded<'r>(&self, head: &'r RequestHead, name: &str) -> Option<&'r str> {
        let mut told = None;
        for hop in self.hops_from_end(head) {
            told = parameter(hop, name).or(told);
            let is_trusted = |hop| self.trusts(hop);
            if !self.header.parse_hop(hop).is_some_and(is_trusted) {
                break;
            }
        }
        told
    }

    fn hops_from_end<'r>(&self, head: &'r RequestHead) -> impl Iterator<Item = &'r [u8]> {
        let lines: Vec<&HeaderValue> = head.headers.get_all(&self.header.0).collect();
        let from_end = lines.into_iter().rev();
        from_end.flat_map(|line| elements_from_end(line.as_bytes()))
    }

    pub(crate) fn header(&self) -> &HeaderName {
        &self.header.0
    }

    pub(crate) fn trusts_peer_of(&self, request: &HttpRequest) -> bool {
        self.trusts_peer_in(request.head())
    }

    pub(crate) fn trusts_peer_in(&self, head: &RequestHead) -> bool {
        self.trusts(peer_in(head))
    }

    /// Returns whether the address is a trusted proxy's.
    pub fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks
            .iter()
            .any(|network| network.contains(&address))
    }
}

/// Returns the peer's address. Without a peer, which only happens in tests and on Unix
/// sockets, the peer is this machine.
pub(crate) fn peer_address(request: &HttpRequest) -> IpAddr {
    peer_in(request.head())
}

fn peer_in(head: &RequestHead) -> IpAddr {
    let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
    head.peer_addr.map_or(local, |peer| peer.ip())
}

impl ClientHeader {
    /// Reads a hop of the header's list: an address, with or without a port and brackets.
    /// In `Forwarded` it is a parameter.
    fn parse_hop(&self, hop: &[u8]) -> Option<IpAddr> {
        parse_address(if self.0 == FORWARDED {
            parameter(hop, "for")?
        } else {
            str::from_utf8(hop).ok()?
        })
    }
}

/// The value of a parameter in an element of `Forwarded`, without quotes (RFC 7239, section 4).
fn parameter<'h>(element: &'h [u8], name: &str) -> Option<&'h str> {
    let pairs = split_from_end(element, b';').filter_map(|pair| str::from_utf8(pair).ok());
    let mut pairs = pairs.filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(found, _)| found.trim().eq_ignore_ascii_case(name))?;
    let value = value.trim();
    let unquoted = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    Some(unquoted.unwrap_or(value))
}

impl Default for ClientHeader {
    fn default() -> Self {
        Self(X_FORWARDED_FOR)
    }
}

impl FromStr for ClientHeader {
    type Err = ClientHeaderError;

    fn from_str(text: &str) -> Result<Self, ClientHeaderError> {
        HeaderName::from_bytes(text.as_bytes())
            .map(Self)
            .map_err(|_| ClientHeaderError)
    }
}

/// The text is not the name of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the name of a header, such as X-Forwarded-For, X-Real-IP or Forwarded")]
pub struct ClientHeaderError;

/// The facts about a client that the destinations it has checked get.
pub fn probe_caller(request: &HttpRequest) -> ProbeCaller {
    let text = |name| header(request, name).map(Cow::into_owned);
    ProbeCaller {
        accept_language: text("accept-language"),
        user_agent: text("user-agent"),
    }
}

fn parse_address(text: &str) -> Option<IpAddr> {
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

    fn seen_in(header: &str, peer: &str, sent: &[(&str, &str)]) -> String {
        let networks = vec!["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let mut request = TestRequest::default().peer_addr(peer.parse().unwrap());
        for (name, value) in sent {
            request = request.append_header((*name, *value));
        }
        TrustedProxies::new(networks, header.parse().unwrap())
            .client_address(&request.to_http_request())
            .to_string()
    }

    fn seen(peer: &str, forwarded: &[&str]) -> String {
        let sent = forwarded.iter().map(|value| ("x-forwarded-for", *value));
        seen_in("X-Forwarded-For", peer, &sent.collect::<Vec<_>>())
    }

    #[test]
    fn a_stranger_cannot_choose_an_address() {
        assert_eq!(seen("192.0.2.1:5", &["198.51.100.7"]), "192.0.2.1");
    }

    #[test]
    fn trusted_hops_are_skipped_from_the_end() {
        let client = "198.51.100.7";
        for (peer, forwarded, expected) in [
            ("10.0.0.1:5", &["198.51.100.7"][..], client),
            ("10.0.0.1:5", &["6.6.6.6, 198.51.100.7, 10.2.3.4"], client),
            ("10.0.0.1:5", &["6.6.6.6", "198.51.100.7:80"], client),
            ("[fd00::1]:5", &["[2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.1:5", &["10.0.0.9"], "10.0.0.9"),
            ("10.0.0.1:5", &["6.6.6.6, 198.51.100.7, "], client),
            ("10.0.0.1:5", &["\", 198.51.100.7"], client),
            ("[::ffff:10.0.0.1]:5", &["198.51.100.7"], client),
        ] {
            assert_eq!(seen(peer, forwarded), expected, "{forwarded:?}");
        }
    }

    #[test]
    fn a_hop_that_is_no_address_ends_trust() {
        for wrong in ["garbage", "", "6.6.6.6, unknown", ",", "6.6.6.6, \""] {
            assert_eq!(seen("10.0.0.1:5", &[wrong]), "10.0.0.1", "{wrong}");
        }
        let hop = "6.6.6.6, garbage, 10.2.3.4";
        assert_eq!(seen("10.0.0.1:5", &[hop]), "10.2.3.4");
        assert_eq!(seen("10.0.0.1:5", &["6.6.6.6", "garbage"]), "10.0.0.1");
    }

    #[test]
    fn only_the_header_that_is_set_counts() {
        let sent = [
            ("x-forwarded-for", "6.6.6.6"),
            ("x-real-ip", "198.51.100.7"),
        ];
        assert_eq!(seen_in("x-real-ip", "10.0.0.1:5", &sent), "198.51.100.7");
        assert_eq!(seen_in("x-forwarded-for", "10.0.0.1:5", &sent), "6.6.6.6");
        assert_eq!(seen_in("forwarded", "10.0.0.1:5", &sent), "10.0.0.1");
    }

    #[test]
    fn the_standard_header_is_read_too() {
        let seen = |value| seen_in("Forwarded", "10.0.0.1:5", &[("forwarded", value)]);
        assert_eq!(seen("for=198.51.100.7;proto=https"), "198.51.100.7");
        let hops = "for=6.6.6.6, by=10.0.0.1; For=\"[2001:db8::1]:80\", for=10.1.1.1";
        assert_eq!(seen(hops), "2001:db8::1");
        let quoted = "for=\", for=\"198.51.100.7:80\";by=\"a, b;c\"";
        assert_eq!(seen(quoted), "198.51.100.7");
        assert_eq!(seen("for=6.6.6.6, for=_hidden"), "10.0.0.1");
        assert_eq!(seen("for=6.6.6.6, proto=https"), "10.0.0.1");
    }

    #[test]
    fn a_byte_that_a_client_wrote_hides_no_hop() {
        let value = HeaderValue::from_bytes(b"\xff\xfe, 198.51.100.7").unwrap();
        let request = TestRequest::default().peer_addr("10.0.0.1:5".parse().unwrap());
        let request = request.insert_header((X_FORWARDED_FOR, value));
        let networks = vec!["10.0.0.0/8".parse().unwrap()];
        let proxies = TrustedProxies::new(networks, ClientHeader::default());
        let client = proxies.client_address(&request.to_http_request());
        assert_eq!(client.to_string(), "198.51.100.7");
    }

    #[test]
    fn a_header_has_a_name() {
        assert_eq!("X Real IP".parse::<ClientHeader>(), Err(ClientHeaderError));
        assert_eq!("".parse::<ClientHeader>(), Err(ClientHeaderError));
    }
}
