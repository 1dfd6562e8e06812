//! The settings of the service towards clients: token, trusted proxies, origin.

use std::{net::IpAddr, sync::Arc};

use actix_web::{HttpRequest, web};
use slugline_application::{Authenticator, Caller, Denied};
use slugline_domain::{Author, Country, Place, ports::PlaceFinder};

use crate::{
    cdn::PlaceHeaders,
    client::{TrustedProxies, header},
    origin::Origin,
    proxy_watch::{ProxyDoubt, ProxyWatch},
    refusals::Refusals,
};

/// The token, the trusted proxies and the origin. Every adapter finds them in the
/// app's data.
#[derive(Debug)]
pub struct Edge {
    authenticator: Arc<Authenticator>,
    proxies: TrustedProxies,
    proxy_watch: ProxyWatch,
    refusals: Refusals,
    configured_origin: Option<Origin>,
    any_origin: bool,
    loopback_only: bool,
    place_headers: PlaceHeaders,
    places: Option<Arc<dyn PlaceFinder>>,
}

impl Edge {
    /// Creates an edge with the required token, the trusted proxies, and the public
    /// origin if it was configured.
    pub fn new(
        authenticator: Arc<Authenticator>,
        proxies: TrustedProxies,
        configured_origin: Option<Origin>,
    ) -> Self {
        Self {
            authenticator,
            proxies,
            proxy_watch: ProxyWatch::default(),
            refusals: Refusals::default(),
            configured_origin,
            any_origin: false,
            loopback_only: false,
            place_headers: PlaceHeaders::default(),
            places: None,
        }
    }

    /// Lets web pages of any origin call the API (CORS).
    #[must_use]
    pub fn open_to_any_origin(self) -> Self {
        Self {
            any_origin: true,
            ..self
        }
    }

    /// Sets the address on which the service listens.
    #[must_use]
    pub fn listening_at(self, address: IpAddr) -> Self {
        Self {
            loopback_only: address.is_loopback(),
            ..self
        }
    }

    /// Sets the sources of a client's place: these headers of trusted proxies, else the
    /// client's address.
    #[must_use]
    pub fn placing_clients(
        self,
        place_headers: PlaceHeaders,
        places: Option<Arc<dyn PlaceFinder>>,
    ) -> Self {
        Self {
            place_headers,
            places,
            ..self
        }
    }

    /// Returns the app's edge.
    ///
    /// # Panics
    /// The app was built without an edge.
    pub fn of(request: &HttpRequest) -> &Edge {
        request
            .app_data::<web::Data<Edge>>()
            .expect("the app is built with an edge")
    }

    /// Returns the app's edge, for work that outlives the request.
    ///
    /// # Panics
    /// The app was built without an edge.
    pub fn shared(request: &HttpRequest) -> Arc<Edge> {
        let edge = request.app_data::<web::Data<Edge>>();
        Arc::clone(edge.expect("the app is built with an edge"))
    }

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

    /// Returns the public origin of the service, as this client sees it.
    pub fn origin(&self, request: &HttpRequest) -> Origin {
        Origin::of(request, self.configured_origin.as_ref(), &self.proxies)
    }

    /// Returns the public origin, if it was configured.
    pub fn configured_origin(&self) -> Option<&Origin> {
        self.configured_origin.as_ref()
    }

    /// Returns whether only programs of this machine reach the service directly.
    pub fn is_loopback_only(&self) -> bool {
        self.loopback_only
    }

    /// Returns whether web pages of any origin may call the API.
    pub(crate) fn is_open_to_any_origin(&self) -> bool {
        self.any_origin
    }

    /// Returns the caller by the token that the request carries.
    pub(crate) async fn authenticate(&self, request: &HttpRequest) -> Result<Caller, Denied> {
        let presented = header(request, "authorization").map(bearer_token);
        let client = self.client_address(request);
        let outcome = self.authenticator.authenticate(presented, client).await;
        self.note_guess(outcome.as_ref().err(), client);
        outcome
    }

    /// Exchanges a one-time code that this client sent for the site token.
    ///
    /// # Errors
    /// The code is wrong, or the client sent too many wrong ones.
    pub async fn redeem(&self, code: &str, client: IpAddr) -> Result<String, Denied> {
        let outcome = self.authenticator.redeem(code, client).await;
        self.note_guess(outcome.as_ref().err(), client);
        outcome
    }

    /// A request without a token is not an attempt to guess it, and neither is one whose token
    /// cannot be checked or was right until it ended.
    fn note_guess(&self, denied: Option<&Denied>, client: IpAddr) {
        let guessed = matches!(
            denied,
            Some(Denied::TooShort | Denied::WrongToken | Denied::WrongCode | Denied::TooMany(_))
        );
        if guessed {
            self.refusals.token(client);
        }
    }

    /// Returns the author of the changes that a request by this caller makes.
    pub fn author(&self, caller: &Caller, request: &HttpRequest) -> Author {
        caller.author(self.refusals.client_tag(self.client_address(request)))
    }

    /// Returns whether a caller who was let in would be let in again, for answers without an
    /// end.
    pub async fn still_admits(&self, caller: &Caller) -> bool {
        self.authenticator.still_admits(caller).await
    }

    /// Logs for the operator that this client's password was refused.
    pub fn refused_password(&self, client: IpAddr) {
        self.refusals.password(client);
    }
}

/// Returns the token after `Bearer` in any case. A bare token is accepted, too, as in
/// Sink.
fn bearer_token(authorization: &str) -> &str {
    const SCHEME: usize = "bearer".len();
    let (scheme, rest) = authorization
        .split_at_checked(SCHEME)
        .unwrap_or(("", authorization));
    if scheme.eq_ignore_ascii_case("bearer") && rest.starts_with([' ', '\t']) {
        rest.trim()
    } else {
        authorization.trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_is_optional_and_of_any_case() {
        for spelled in [
            "Bearer secret",
            "bearer  secret",
            "BEARER\tsecret ",
            "secret",
        ] {
            assert_eq!(bearer_token(spelled), "secret", "{spelled:?}");
        }
        assert_eq!(bearer_token("Bearersecret"), "Bearersecret");
        assert_eq!(bearer_token("Bearer"), "Bearer");
    }
}
