//! The check of tokens: who calls, and in whose name changes are made.

use std::{net::IpAddr, ops::Deref, sync::Arc};

use actix_web::{HttpRequest, web};
use slugline_application::{Authenticator, Caller, Denied};
use slugline_domain::Author;

use crate::{edge::Edge, header::header, protected::ProtectedResource};

/// Tells callers by their tokens. It knows the edge of the service, too. The adapters that ask
/// for a token keep it in the data of their app.
#[derive(Debug)]
pub struct Guard {
    /// The edge, for what needs no token.
    pub edge: Arc<Edge>,
    /// The check of tokens.
    pub authenticator: Arc<Authenticator>,
    /// Lets web pages of any origin call the API (CORS).
    pub any_origin: bool,
}

impl Guard {
    /// Returns the guard of the app that serves this request.
    ///
    /// # Panics
    /// No adapter that asks for a token serves the request.
    pub fn of(request: &HttpRequest) -> &web::Data<Self> {
        request
            .app_data()
            .expect("adapters that ask for tokens bring their guard")
    }

    /// Returns the caller by the token that the request carries.
    pub(crate) async fn authenticate(&self, request: &HttpRequest) -> Result<Caller, Denied> {
        let presented = header(request, "authorization");
        let presented = presented.as_deref().map(bearer_token);
        let client = self.client_address(request);
        let resource = self.protected_at(request);
        let resource = resource.map(ProtectedResource::identifier);
        let asked = self
            .authenticator
            .authenticate_at(resource, presented, client);
        let outcome = asked.await;
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

    /// Notes a token that this client typed into a form, if it was a guess.
    pub fn note_refused_token(&self, denied: &Denied, client: IpAddr) {
        self.note_guess(Some(denied), client);
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
}

impl Deref for Guard {
    type Target = Edge;

    fn deref(&self) -> &Edge {
        &self.edge
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
