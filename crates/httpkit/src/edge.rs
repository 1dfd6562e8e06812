//! The settings of the service towards clients: trusted proxies, origin, places.

use std::{net::IpAddr, sync::Arc};

use actix_web::{HttpRequest, dev::RequestHead, http::header::HeaderValue};
use slugline_domain::{
    Country, Host, Place,
    ports::{AgentReader, PlaceFinder},
};

use crate::{
    cdn::PlaceHeaders,
    client::TrustedProxies,
    door::Door,
    lots::Lots,
    origin::{Origin, requested_host},
    protected::ProtectedResource,
    proxy_watch::{ProxyDoubt, ProxyWatch},
    refusals::Refusals,
};

/// The trusted proxies, the public origin and the places of clients: all that a redirect needs
/// to know about the edge of the service. [`Guard`](crate::Guard) adds the check of tokens.
///
/// The default trusts no proxy, takes the origin from the request, knows no places and no user
/// agents, and draws lots that hold for this process.
#[derive(Debug, Default)]
pub struct Edge {
    /// The trusted proxies.
    pub proxies: TrustedProxies,
    pub(crate) proxy_watch: ProxyWatch,
    pub(crate) refusals: Refusals,
    /// The public origin, if it was configured.
    pub configured_origin: Option<Origin>,
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
    pub lots: Lots,
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

    /// Returns the public origin of the service, as this client sees it.
    pub fn origin(&self, request: &HttpRequest) -> Origin {
        Origin::of(request, self.configured_origin.as_ref(), &self.proxies)
    }

    /// Returns the host, and the port if any, to which the client sent the request.
    pub fn requested_host<'r>(&self, request: &'r HttpRequest) -> Option<&'r str> {
        requested_host(request.head(), self.proxies.trusts_peer_of(request))
    }

    /// Returns the door by which a request comes. Whoever reaches the service directly can write
    /// any host, so a door keeps browsers' origins apart and is no check of who calls.
    pub fn door(&self, head: &RequestHead) -> Door {
        let Some(admin) = &self.admin_host else {
            return Door::Everything;
        };
        let asked = requested_host(head, self.proxies.trusts_peer_in(head));
        match asked.and_then(|host| Host::parse(host).ok()) {
            Some(host) if host == *admin => Door::Administration,
            Some(_) | None => Door::Links,
        }
    }

    /// Returns the origin of the API and the dashboard, as this client sees it.
    pub fn api_origin(&self, request: &HttpRequest) -> Origin {
        let origin = self.origin(request);
        match &self.admin_host {
            Some(host) => origin.of_host(host.as_str()),
            None => origin,
        }
    }

    /// Returns the public origin of a domain, by its host; an empty one stands for the default
    /// domain.
    pub fn origin_of(&self, request: &HttpRequest, host: &str) -> Origin {
        let origin = self.origin(request);
        if host.is_empty() {
            origin
        } else {
            origin.of_host(host)
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
