//! Detects proxies that the settings do not name, or name wrongly.

use std::{
    cell::Cell,
    net::IpAddr,
    sync::atomic::{AtomicBool, Ordering},
};

use actix_web::{
    HttpRequest,
    http::header::{FORWARDED, HeaderName, X_FORWARDED_FOR},
};

use crate::client::{TrustedProxies, peer_address};

/// The problem with the proxy that a request came by. In both cases all its visitors seem
/// to have one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProxyDoubt {
    /// The proxy is not trusted. It may be a client that pretends to be a proxy.
    Untrusted {
        /// The peer.
        peer: IpAddr,
        /// The header in which it names a client.
        sent: HeaderName,
    },
    /// The proxy is trusted, but names clients in another header than the configured one.
    OtherHeader {
        /// The peer.
        peer: IpAddr,
        /// The header in which it names a client.
        sent: HeaderName,
        /// The configured header.
        believed: HeaderName,
    },
}

impl ProxyDoubt {
    pub(crate) fn about(request: &HttpRequest, proxies: &TrustedProxies) -> Option<Self> {
        let headers = request.headers();
        let sent = USUAL.iter().find(|name| headers.contains_key(*name))?;
        let (peer, sent) = (peer_address(request).to_canonical(), sent.clone());
        if !proxies.trusts(peer) {
            return Some(Self::Untrusted { peer, sent });
        }
        let believed = proxies.header();
        (!headers.contains_key(believed)).then(|| Self::OtherHeader {
            peer,
            sent,
            believed: believed.clone(),
        })
    }
}

/// Warns once of a peer that looks like a proxy but is not trusted, and once of a trusted
/// proxy that names clients in another header than the configured one. In both cases all
/// visitors seem to have one address.
#[derive(Debug, Default)]
pub(crate) struct ProxyWatch {
    warned_of_untrusted: AtomicBool,
    warned_of_header: AtomicBool,
}

/// Headers in which proxies usually name the client.
static USUAL: [HeaderName; 3] = [
    X_FORWARDED_FOR,
    HeaderName::from_static("x-real-ip"),
    FORWARDED,
];

thread_local! {
    /// Each thread checks only its first requests: a proxy shows itself in every request,
    /// and a redirect has no time for three look-ups that find nothing.
    static LOOKS_LEFT: Cell<u32> = const { Cell::new(10_000) };
}

impl ProxyWatch {
    pub(crate) fn look_at(&self, request: &HttpRequest, proxies: &TrustedProxies) {
        let left = LOOKS_LEFT.get();
        if left == 0 {
            return;
        }
        LOOKS_LEFT.set(left - 1);
        let Some(doubt) = ProxyDoubt::about(request, proxies) else {
            return;
        };
        let warned = match &doubt {
            ProxyDoubt::Untrusted { .. } => &self.warned_of_untrusted,
            ProxyDoubt::OtherHeader { .. } => &self.warned_of_header,
        };
        if warned.swap(true, Ordering::Relaxed) {
            return;
        }
        match doubt {
            ProxyDoubt::Untrusted { peer, sent } => tracing::warn!(
                "{peer} sends the header {sent}, which is not believed; if it is your proxy, add \
                 its address to SLUGLINE_TRUSTED_PROXIES, or all its visitors look alike and share \
                 their limits"
            ),
            ProxyDoubt::OtherHeader {
                peer,
                sent,
                believed,
            } => tracing::warn!(
                "the trusted proxy {peer} sends the header {sent} and no {believed}; name the \
                 header that it sets itself in SLUGLINE_CLIENT_IP_HEADER, or all its visitors look \
                 alike and share their limits"
            ),
        }
    }
}
