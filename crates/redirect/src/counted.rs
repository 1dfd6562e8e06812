//! Links that count their visits.
//!
//! A visit is counted before the answer that tells where the link leads, and only for that.

use actix_web::{HttpRequest, HttpResponse, http::Method};
use slugline_domain::{Arrival, Destination, FollowedLink, ports::Taking};
use slugline_httpkit::{Code, Failure, Problem, header};

use crate::{
    answer::{self, Passage},
    link_pages,
    outcome::Outcome,
    redirects::Redirects,
};

/// The result for a visitor who passed every gate.
pub(crate) enum Turn {
    /// The visit is counted.
    Passed(Passage),
    /// The visitor gets this, and no visit was counted.
    Stopped(HttpResponse),
    /// The link has changed, and memory has forgotten it.
    Outdated,
}

/// Counts the visit, unless the visitor is not to learn where the link leads.
pub(crate) async fn examine(
    redirects: &Redirects,
    request: &HttpRequest,
    link: &FollowedLink,
    delivery: &Arrival<'_>,
    passage: Passage,
) -> Result<Turn, Failure> {
    if is_fetched_ahead(request) {
        let reason = "visits of this link are counted, so it is not fetched ahead";
        return Err(Problem::new(Code::Unavailable, reason).into());
    }
    let is_followed = match *request.method() {
        Method::GET | Method::POST => *delivery != Arrival::Sealed,
        Method::HEAD => false,
        // Nobody follows a redirect by another method. A proxied destination may answer it.
        _ => matches!(delivery, Arrival::Proxy(_)),
    };
    if !is_followed {
        redirects.outcomes.count(Outcome::Preview);
        let page = link_pages::sealed(request, &redirects.edge, link);
        return Ok(Turn::Stopped(page));
    }
    match redirects.resolver.take_visit(link).await? {
        Taking::Taken => Ok(Turn::Passed(match passage {
            Passage::Form => Passage::Form,
            Passage::Open | Passage::Gated | Passage::Counted => Passage::Counted,
        })),
        Taking::UsedUp => match &link.terms().life.expired_url {
            Some(elsewhere) => {
                redirects.outcomes.count(Outcome::Detoured);
                let response = answer::detour(Destination::as_str(elsewhere), passage);
                Ok(Turn::Stopped(response))
            }
            None => Err(Problem::new(Code::LinkExpired, "this link is used up").into()),
        },
        Taking::Outdated => Ok(Turn::Outdated),
    }
}

/// Returns whether a browser asks before anybody follows the link. It asks again when somebody
/// does, if this answer is an error (<https://wicg.github.io/nav-speculation/prefetch.html>). Safari
/// says `X-Purpose: preview` when it draws a page for its list of favourites.
fn is_fetched_ahead(request: &HttpRequest) -> bool {
    let headers = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
    let purposes = ["prefetch", "prerender", "preview"];
    let mut said = headers.iter().filter_map(|name| header(request, *name));
    said.any(|said| purposes.iter().any(|purpose| said.contains(purpose)))
}
