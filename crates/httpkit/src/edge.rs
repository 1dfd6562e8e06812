//! The edge of the service: what its settings say about clients and addresses, and the sides of splits.

use std::{
    fmt,
    hash::{BuildHasher, Hasher, RandomState},
    net::IpAddr,
    sync::Arc,
};

use actix_web::{HttpMessage, HttpRequest, dev::RequestHead, http::header::HeaderValue};
use serde_json::Value;
use siphasher::sip::SipHasher13;
use slugline_application::SeenLink;
use slugline_domain::{
    BaseUrl, ClientNetwork, Country, Host, Origin, Place,
    ports::{AgentReader, PlaceFinder},
};

use crate::{
    base_url::{base_url_of, requested_host},
    cdn::PlaceHeaders,
    client::TrustedProxies,
    log_lines::Refusals,
    protected::ProtectedResource,
    proxy_watch::{ProxyDoubt, ProxyWatch},
};

/// The trusted proxies, the public address and the places of clients: all that a redirect needs
/// to know about the edge of the service. [`Guard`](crate::Guard) adds the check of tokens.
///
/// The default trusts no proxy, takes the public address from the request, knows no places and no user
/// agents, and draws lots that hold for this process.
#[derive(Debug, Default)]
pub struct Edge {
    /// The trusted proxies.
    pub proxies: TrustedProxies,
    pub(crate) proxy_watch: ProxyWatch,
    pub(crate) refusals: Refusals,
    /// The public address, if it was configured.
    pub configured_base_url: Option<BaseUrl>,
    /// The host on which alone the API, the dashboard and the documents answer.
    pub admin_host: Option<Host>,
    /// True if only programs of this machine reach the service directly.
    pub loopback_only: bool,
    /// The headers in which trusted proxies name a client's place.
    pub place_headers: PlaceHeaders,
    /// The source of places that no proxy names, by the client's address.
    pub places: Option<Arc<dyn PlaceFinder>>,
    /// The reader of user agents; without it, no rule knows a visitor's device.
    pub agents: Option<Arc<dyn AgentReader>>,
    /// The lots by which visitors fall on a side of a split.
    pub lots: SplitSides,
    /// Shows the link that a failed precondition is about; without it, answers show none.
    pub link_view: Option<fn(&SeenLink) -> Value>,
    /// The resource for which assistants get tokens.
    pub protected: Option<ProtectedResource>,
}

impl Edge {
    /// Returns the client's address.
    pub fn client_address(&self, request: &HttpRequest) -> IpAddr {
        self.proxy_watch.look_at(request, &self.proxies);
        self.proxies.client_address(request)
    }

    /// Returns the problem with the proxy that the request came by, if there is one.
    pub fn proxy_doubt(&self, request: &HttpRequest) -> Option<ProxyDoubt> {
        ProxyDoubt::about(request, &self.proxies)
    }

    /// Returns the client's place, if a trusted proxy names it.
    pub fn forwarded_place(&self, request: &HttpRequest) -> Option<Place> {
        let believed = self.proxies.trusts_peer_of(request);
        believed.then(|| self.place_headers.place(request))?
    }

    /// Returns the client's country by its address, for requests whose place no proxy
    /// names.
    pub fn look_up_country(&self, request: &HttpRequest) -> Option<Country> {
        let places = self.places.as_ref()?;
        places.country(self.client_address(request))
    }

    /// Returns the client's place: by the proxies' headers, else by the address.
    pub fn client_place(&self, request: &HttpRequest) -> Place {
        let forwarded = self.forwarded_place(request).unwrap_or_default();
        match &self.places {
            Some(places) => forwarded.or(places.find(self.client_address(request))),
            None => forwarded,
        }
    }

    /// Returns the place of an address, as far as it is known.
    pub fn place_of(&self, address: IpAddr) -> Place {
        let places = self.places.as_ref();
        places.map_or_else(Place::default, |places| places.find(address))
    }

    /// Returns the public address of the service, as this client sees it.
    pub fn base_url(&self, request: &HttpRequest) -> BaseUrl {
        let known = request.extensions().get::<BaseUrl>().cloned();
        known.unwrap_or_else(|| {
            let base = base_url_of(request, self.configured_base_url.as_ref(), &self.proxies);
            request.extensions_mut().insert(base.clone());
            base
        })
    }

    /// Returns the host, and the port if any, to which the client sent the request.
    pub fn requested_host<'r>(&self, request: &'r HttpRequest) -> Option<&'r str> {
        requested_host(request.head(), &self.proxies)
    }

    /// Returns whether the client asked for the host and the port of this origin. Schemes are not
    /// compared, because an untrusted proxy hides the visitor's.
    pub fn is_asked_at(&self, request: &HttpRequest, origin: &Origin) -> bool {
        let asked = self.requested_host(request).unwrap_or_default();
        let by = |scheme| format!("{scheme}://{asked}").parse::<Origin>().ok();
        let seen = [
            by("https"),
            by("http"),
            Some(self.base_url(request).origin().clone()),
        ];
        let mut seen = seen.iter().flatten();
        seen.any(|seen| seen.host_and_port() == origin.host_and_port())
    }

    /// Returns the door by which a request comes. A client that reaches the service directly can write
    /// any host, so a door keeps browsers' origins apart and is no check of who calls.
    pub fn door(&self, head: &RequestHead) -> Door {
        let Some(admin) = &self.admin_host else {
            return Door::Everything;
        };
        let asked = requested_host(head, &self.proxies);
        match asked.and_then(|host| Host::parse(host).ok()) {
            Some(host) if host == *admin => Door::Administration,
            Some(_) | None => Door::Links,
        }
    }

    /// Returns the address of the API and the dashboard, as this client sees it.
    pub fn api_base_url(&self, request: &HttpRequest) -> BaseUrl {
        let base = self.base_url(request);
        match &self.admin_host {
            Some(host) => base.of_host(host.as_str()),
            None => base,
        }
    }

    /// Returns the public address of a domain, by its host; an empty one stands for the default
    /// domain.
    pub fn base_url_of(&self, request: &HttpRequest, host: &str) -> BaseUrl {
        let base = self.base_url(request);
        if host.is_empty() {
            base
        } else {
            base.of_host(host)
        }
    }

    /// Returns the resource that the request is for, if tokens of assistants open it.
    pub(crate) fn protected_at(&self, request: &HttpRequest) -> Option<&ProtectedResource> {
        let here = |resource: &&ProtectedResource| resource.is_at(request.path());
        self.protected.as_ref().filter(here)
    }

    /// Returns the challenge for an assistant that needs these scopes, separated by blanks; `None`
    /// where tokens of assistants open nothing.
    pub fn insufficient_scope(&self, request: &HttpRequest, scope: &str) -> Option<HeaderValue> {
        let resource = self.protected_at(request)?;
        Some(resource.insufficient(scope))
    }

    /// Logs for the operator that this client's password was refused.
    pub fn refused_password(&self, client: IpAddr) {
        self.refusals.password(client);
    }
}

/// The door by which a request comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// No host is set aside for administration: every path on every host.
    Everything,
    /// The host for administration, which follows no link.
    Administration,
    /// Another host, which follows links and shows nothing else of the service.
    Links,
}

/// Draws a lot for each visitor of each link: a keyed hash of both, so that a visitor keeps a side
/// without a cookie, and only a holder of the key can tell which.
///
/// A visitor is what the access log takes for one: an IPv4 address, or the /64 of an IPv6 address.
#[derive(Clone)]
pub struct SplitSides(SipHasher13);

impl SplitSides {
    /// Draws by a key that all nodes have.
    pub fn keyed(secret: &[u8; 32]) -> Self {
        let (key, _) = secret.split_at(16);
        Self(SipHasher13::new_with_key(key.try_into().expect("16 bytes")))
    }

    /// Returns the lot of a visitor of the link with this identity.
    pub fn of(&self, client: IpAddr, link: &str) -> u64 {
        let mut hasher = self.0;
        match ClientNetwork::of(client).address() {
            IpAddr::V4(address) => hasher.write(&address.octets()),
            IpAddr::V6(address) => hasher.write(&address.octets()),
        }
        hasher.write(link.as_bytes());
        hasher.finish()
    }
}

/// Draws by a key of this process.
impl Default for SplitSides {
    fn default() -> Self {
        let drawn = |part: u8| RandomState::new().hash_one(part);
        Self(SipHasher13::new_with_keys(drawn(0), drawn(1)))
    }
}

impl fmt::Debug for SplitSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SplitSides(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lot(lots: &SplitSides, client: &str, link: &str) -> u64 {
        lots.of(client.parse().unwrap(), link)
    }

    #[test]
    fn a_visitor_has_one_lot_at_a_link_on_every_node() {
        let (first, second) = (SplitSides::keyed(&[7; 32]), SplitSides::keyed(&[7; 32]));
        let here = lot(&first, "192.0.2.1", "a");
        assert_eq!(lot(&second, "192.0.2.1", "a"), here);
        assert_eq!(lot(&first, "::ffff:192.0.2.1", "a"), here);
        assert_ne!(lot(&first, "192.0.2.1", "b"), here);
        assert_ne!(lot(&first, "192.0.2.2", "a"), here);
        assert_ne!(lot(&SplitSides::keyed(&[8; 32]), "192.0.2.1", "a"), here);
        let phone = lot(&first, "2001:db8:1:2::1", "a");
        assert_eq!(lot(&first, "2001:db8:1:2:ffff::", "a"), phone);
    }

    #[test]
    fn lots_are_spread_evenly() {
        let lots = SplitSides::keyed(&[7; 32]);
        let mut counts = [0_u32; 10];
        for number in 0..20_000_u32 {
            let lot = lots.of(IpAddr::V4(number.into()), "link");
            let tenth = (u128::from(lot) * 10) >> u64::BITS;
            counts[usize::try_from(tenth).unwrap()] += 1;
        }
        // Five standard deviations of a count of 2,000.
        assert!(
            counts.iter().all(|count| count.abs_diff(2_000) < 212),
            "{counts:?}"
        );
    }
}
