//! Detects proxies that the settings do not name, or name wrongly.

use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, Ordering},
};

use actix_web::{
    HttpRequest,
    http::header::{FORWARDED, HeaderName, X_FORWARDED_FOR},
};

use crate::client::{TrustedProxies, peer_address};

/// Warns once of a peer that looks like a proxy but is not trusted, and once of
/// a trusted one that names clients in another header than the one that counts:
/// either way all visitors look alike.
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
    /// A proxy shows itself in every request, so each thread looks at its first
    /// ones only: a redirect has no time for three look-ups that find nothing.
    static LOOKS_LEFT: Cell<u32> = const { Cell::new(10_000) };
}

impl ProxyWatch {
    pub(crate) fn look_at(&self, request: &HttpRequest, proxies: &TrustedProxies) {
        let left = LOOKS_LEFT.get();
        if left == 0 {
            return;
        }
        LOOKS_LEFT.set(left - 1);
        let headers = request.headers();
        let Some(sent) = USUAL.iter().find(|name| headers.contains_key(*name)) else {
            return;
        };
        let peer = peer_address(request).to_canonical();
        if !proxies.trusts_peer_of(request) {
            if !self.warned_of_untrusted.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "{peer} sends the header {sent}, which is not believed; if it is your proxy, \
                     add its address to SLUGLINE_TRUSTED_PROXIES, or all its visitors look alike \
                     and share their limits"
                );
            }
        } else if !headers.contains_key(proxies.header())
            && !self.warned_of_header.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "the trusted proxy {peer} sends the header {sent} and no {}; name the header that \
                 it sets itself in SLUGLINE_CLIENT_IP_HEADER, or all its visitors look alike and \
                 share their limits",
                proxies.header()
            );
        }
    }
}
