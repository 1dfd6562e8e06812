//! Following a link.

use std::sync::Arc;

use actix_web::{
    Error, FromRequest, HttpRequest, HttpResponse,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{ACCEPT_LANGUAGE, REFERER, USER_AGENT},
    },
    web::Payload,
};
use slugline_application::Recalled;
use slugline_domain::{
    Arrival, FollowedLink, LinkKey, Resolution, Slug, Visit, VisitHeaders, Visitor,
};
use slugline_httpkit::{Code, Failure, Problem, header};

use crate::{
    answer::{self, Passage},
    asked::AskedDomain,
    gate::{self, Verdict},
    link_pages,
    mount::Mounted,
    outcome::Outcome,
    pages,
    proxy::{self, Proxied},
    redirects::Redirects,
    words::Message,
};

/// Answers every path that no other part of the service has. It is a service and not a
/// handler, because a redirect needs no extractors.
pub(crate) async fn serve(
    redirects: Arc<Redirects>,
    request: ServiceRequest,
) -> Result<ServiceResponse, Error> {
    let (request, mut body) = request.into_parts();
    let body = Payload::from_request(&request, &mut body).await?;
    let response = follow(&redirects, &request, body).await;
    Ok(ServiceResponse::new(request, response))
}

async fn follow(redirects: &Redirects, request: &HttpRequest, body: Payload) -> HttpResponse {
    let mounted = Mounted::of(request);
    let domain = redirects.asked_domain(request);
    if mounted.is_home() {
        return home(redirects, request, &domain);
    }
    let answer = match slug_of(request, mounted, redirects, &domain) {
        Some(slug) => {
            let key = LinkKey::new(domain.name(), slug);
            resolve(redirects, request, body, &key).await
        }
        None => Err(Problem::new(Code::RouteNotFound, "nothing is here").into()),
    };
    answer.unwrap_or_else(|failure| {
        let problem = failure.report();
        redirects.outcomes.count(Outcome::of(&problem));
        moved(redirects, request, mounted, &problem).unwrap_or_else(|| {
            answer::problem(
                &problem,
                request,
                &redirects.edge,
                &redirects.options,
                &domain,
            )
        })
    })
}

/// Redirects a moved path. A link with the same path takes precedence.
fn moved(
    redirects: &Redirects,
    request: &HttpRequest,
    mounted: Mounted<'_>,
    problem: &Problem,
) -> Option<HttpResponse> {
    let moved = redirects.moved.as_ref()?;
    let nothing_there = matches!(problem.code, Code::LinkNotFound | Code::RouteNotFound);
    if !nothing_there || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let location = moved.address(mounted.path, request.uri().query())?;
    Some(answer::moved(&location))
}

/// Redirects the bare origin. A request with a query gets the welcome page, as in Sink.
fn home(redirects: &Redirects, request: &HttpRequest, domain: &AskedDomain) -> HttpResponse {
    match domain.home(&redirects.options) {
        Some(home)
            if request.uri().query().is_none()
                && !home.is_asked_for_by(request, &redirects.edge) =>
        {
            answer::elsewhere(&home)
        }
        Some(_) | None => pages::message(request, |words| Message {
            title: "Slugline",
            text: words.welcome,
        }),
    }
}

/// The address for visitors of unknown paths is not taken as a slug, or a link could send
/// them in circles.
fn slug_of(
    request: &HttpRequest,
    mounted: Mounted<'_>,
    redirects: &Redirects,
    domain: &AskedDomain,
) -> Option<Slug> {
    match domain.not_found(&redirects.options) {
        Some(address) if address.is_asked_for_by(request, &redirects.edge) => None,
        Some(_) | None => slug_in(mounted.path),
    }
}

/// Returns the slug in the path: `/abc` and `/abc/` mean the slug `abc`.
pub(crate) fn slug_in(path: &str) -> Option<Slug> {
    let path = path.strip_prefix('/')?;
    Slug::parse(path.strip_suffix('/').unwrap_or(path)).ok()
}

async fn resolve(
    redirects: &Redirects,
    request: &HttpRequest,
    body: Payload,
    key: &LinkKey,
) -> Result<HttpResponse, Failure> {
    let now = redirects.clock.now();
    let found = match redirects.resolver.recall(key, now) {
        Recalled::Link(link) => Some(link),
        Recalled::NoLink => None,
        Recalled::Nothing => Box::pin(redirects.resolver.find(key)).await?,
    };
    let link = found.ok_or_else(|| {
        Problem::new(
            Code::LinkNotFound,
            format!("no link has the slug {:?}", key.slug.as_str()),
        )
    })?;
    let edge = &redirects.edge;
    let place = edge.forwarded_place(request);
    let visitor = Visitor::new(now.second())
        .with_user_agent(header(request, &USER_AGENT).unwrap_or_default())
        .with_country(if link.terms().routing.geo.is_empty() {
            None
        } else {
            let forwarded = place.as_ref().and_then(|place| place.country);
            forwarded.or_else(|| edge.look_up_country(request))
        })
        .with_query(request.uri().query());
    let rules = redirects.rules();
    let mut body = Some(body);
    let (delivery, passage) = match link.resolve(&visitor, rules) {
        Resolution::Open(delivery) => (delivery, Passage::Open),
        Resolution::Expired => {
            return Err(Problem::new(Code::LinkExpired, "this link has expired").into());
        }
        Resolution::Gate(gate) => {
            // Few visitors see a gate, so its future is boxed. Otherwise every redirect
            // would allocate room for it, several times the size of its own.
            match Box::pin(gate::examine(
                redirects, request, &mut body, &link, &gate, now,
            ))
            .await?
            {
                Verdict::Stopped(response) => {
                    redirects.outcomes.count(Outcome::Gate);
                    return Ok(response);
                }
                Verdict::Warned(password) => {
                    redirects.outcomes.count(Outcome::Gate);
                    let target = link.target(&visitor, rules);
                    return Ok(pages::warning(request, &target, password.as_deref()));
                }
                Verdict::Passed => (
                    link.deliver(&visitor, rules),
                    passage_through_a_gate(request),
                ),
            }
        }
    };
    let visit = || {
        Visit::new(
            now,
            Arc::clone(&link),
            edge.client_address(request),
            VisitHeaders::new(
                visitor.user_agent,
                header(request, &REFERER).unwrap_or_default(),
                header(request, &ACCEPT_LANGUAGE).unwrap_or_default(),
            )
            .with_query(visitor.query.unwrap_or_default()),
        )
        .with_place(place.map(Box::new))
    };
    if let (Arrival::Proxy(target), Some(proxying)) = (&delivery, &redirects.proxying) {
        // Recorded before the first wait, because the visitor may disconnect meanwhile.
        redirects.visits.record(visit());
        let proxied = Proxied {
            request,
            edge,
            body,
            link: &link,
            target,
            now: now.second(),
            cache: &redirects.options.cache,
        };
        let response = Box::pin(proxy::pass_on(proxying, proxied)).await?;
        redirects.outcomes.count(Outcome::Proxied);
        return Ok(response);
    }
    let left = link.seconds_left(visitor.now);
    let response = arrive(redirects, request, &link, &delivery, passage, left);
    redirects.visits.record(visit());
    Ok(response)
}

/// Returns the answer for a visitor whom no gate stops.
fn arrive(
    redirects: &Redirects,
    request: &HttpRequest,
    link: &FollowedLink,
    delivery: &Arrival<'_>,
    passage: Passage,
    left: Option<u64>,
) -> HttpResponse {
    let edge = &redirects.edge;
    let (outcome, response) = match delivery {
        // Without a forwarder a proxied link redirects.
        Arrival::Redirect(target) | Arrival::Proxy(target) => (
            Outcome::Redirected,
            answer::redirect(target, &redirects.options, passage, left),
        ),
        Arrival::Preview(target) => (
            Outcome::Preview,
            link_pages::preview(request, edge, link, target),
        ),
        Arrival::Cloak(target) => (
            Outcome::Framed,
            link_pages::frame(request, edge, link, target),
        ),
    };
    redirects.outcomes.count(outcome);
    response
}

/// Browsers must not post a form again to the destination.
fn passage_through_a_gate(request: &HttpRequest) -> Passage {
    if request.method() == Method::POST {
        Passage::Form
    } else {
        Passage::Gated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_trailing_slash_is_ignored_and_nothing_else_is_a_slug() {
        assert_eq!(slug_in("/docs").unwrap().as_str(), "docs");
        assert_eq!(slug_in("/docs/").unwrap().as_str(), "docs");
        assert_eq!(slug_in("/api").unwrap().as_str(), "api");
        for other in [
            "/",
            "//",
            "/docs//",
            "/a/b",
            "/favicon.ico",
            "/_docs",
            "/%64ocs",
            "*",
            "",
        ] {
            assert_eq!(slug_in(other), None, "{other}");
        }
    }
}
