//! Following a link.

use std::{borrow::Cow, sync::Arc, time::Duration};

use actix_web::{
    Error, FromRequest, HttpRequest, HttpResponse,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{ACCEPT_LANGUAGE, HeaderName, HeaderValue, REFERER, USER_AGENT},
    },
    web::Payload,
};
use slugline_application::Recalled;
use slugline_domain::{
    Arrival, FollowedLink, Lead, LinkKey, Means, PathRest, Resolution, Slug, UnixMillis, Uri,
    Visit, VisitHeaders, Visitor, routing::may_forward,
};
use slugline_httpkit::{Code, Failure, Problem, RequestFacts, header};

use crate::{
    answer::{self, Passage, Validity},
    asked_domain::AskedDomain,
    gate::{self, Posted, Step, Verdict},
    link_pages,
    mount::Mounted,
    outcome::Outcome,
    pages,
    proxy::{self, Proxied},
    redirects::Redirects,
    words::Message,
};

/// The link that a visitor asks for, and what the visitor brings along.
struct Asked<'r> {
    key: LinkKey,
    /// The rest of the path behind the slug, for links that pass it on.
    rest: Option<PathRest<'r>>,
    query: Option<Cow<'r, str>>,
}

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
    let mut is_unlisted = false;
    // The address for visitors of unknown paths is not taken as a slug, or a link could send them
    // in circles.
    let not_found = domain.not_found(&redirects.options);
    let is_free = !not_found.is_some_and(|it| it.is_asked_for_by(request, &redirects.edge));
    let answer = match slug_in(mounted.path).filter(|_| is_free) {
        Some((slug, pasted)) => {
            let asked = Asked {
                key: LinkKey::new(domain.name(), slug),
                rest: None,
                query: joined(pasted, request.uri().query()),
            };
            resolve(redirects, request, body, &asked, &mut is_unlisted).await
        }
        None if is_free && let Some((slug, rest)) = slug_above(request, mounted) => {
            let key = LinkKey::new(domain.name(), slug);
            let unlisted = &mut is_unlisted;
            Box::pin(pass_on_path(redirects, request, body, key, rest, unlisted)).await
        }
        None => Err(nothing_here().into()),
    };
    let mut response = answer.unwrap_or_else(|failure| {
        let problem = failure.report();
        let moved = moved(redirects, request, mounted, &problem);
        moved.unwrap_or_else(|| redirects.refuse(&problem, request))
    });
    if is_unlisted {
        keep_unlisted(&mut response);
    }
    response
}

/// Asks search engines not to list the address, unless the answer does so already.
fn keep_unlisted(response: &mut HttpResponse) {
    let name = HeaderName::from_static("x-robots-tag");
    let mut told = response.headers().get_all(&name);
    if !told.any(|value| value.as_bytes().starts_with(b"noindex")) {
        let value = HeaderValue::from_static("noindex");
        response.headers_mut().append(name, value);
    }
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
    redirects.outcomes.count(Outcome::of(problem));
    Some(answer::moved(&Uri::of(location)))
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

/// Returns the slug in the path, and the query that a person wrote behind it: `/abc` and `/abc/`
/// mean the slug `abc`.
pub(crate) fn slug_in(path: &str) -> Option<(Slug, &str)> {
    let path = path.strip_prefix('/')?;
    let segment = path.strip_suffix('/').unwrap_or(path);
    Slug::pasted(segment).filter(|_| !segment.contains('/'))
}

/// The query of a path and that of the request, as one.
fn joined<'r>(of_path: &'r str, of_request: Option<&'r str>) -> Option<Cow<'r, str>> {
    match of_request {
        Some(query) if !of_path.is_empty() => Some(format!("{of_path}&{query}").into()),
        None if !of_path.is_empty() => Some(of_path.into()),
        query => query.map(Cow::from),
    }
}

/// The slug above a path, and what stands behind it, for links that pass that on. Forms of gates
/// are posted to the same path.
fn slug_above<'r>(request: &HttpRequest, mounted: Mounted<'r>) -> Option<(Slug, &'r str)> {
    let follows = matches!(*request.method(), Method::GET | Method::HEAD | Method::POST);
    let (first, rest) = mounted.path.strip_prefix('/')?.split_once('/')?;
    let slug = Slug::in_segment(first).filter(|_| follows)?;
    may_forward(&slug).then_some((slug, rest))
}

/// Follows a link that passes on what stands behind its slug. Any other link has no such path.
async fn pass_on_path(
    redirects: &Redirects,
    request: &HttpRequest,
    body: Payload,
    key: LinkKey,
    rest: &str,
    is_unlisted: &mut bool,
) -> Result<HttpResponse, Failure> {
    let now = redirects.clock.now();
    let found = find(redirects, &key, now).await?;
    let passes_on = |link: Arc<FollowedLink>| {
        link.terms().routing.forwards_path() && !link.is_hidden_at(now.second())
    };
    if !found.is_some_and(passes_on) {
        return Err(nothing_here().into());
    }
    let rest = PathRest::new(rest).ok_or_else(|| {
        let most = PathRest::MAX_BYTES;
        let detail = format!("at most {most} bytes may stand behind the slug");
        Problem::new(Code::UriTooLong, detail)
    })?;
    let asked = Asked {
        key,
        rest: Some(rest),
        query: request.uri().query().map(Cow::from),
    };
    resolve(redirects, request, body, &asked, is_unlisted).await
}

async fn find(
    redirects: &Redirects,
    key: &LinkKey,
    now: UnixMillis,
) -> Result<Option<Arc<FollowedLink>>, Failure> {
    Ok(match redirects.resolver.recall(key, now) {
        Recalled::Link(link) => Some(link),
        Recalled::NoLink => None,
        Recalled::Nothing => Box::pin(redirects.resolver.find(key)).await?,
    })
}

/// The most attempts. Each but the last lost only to a change that was made meanwhile; changes wait
/// for the last one.
const ATTEMPTS: usize = 3;

/// Answers with the link as it is. A link that counts its visits is found again if it turns out
/// that it has changed; one that changes all the time is counted first and then read.
async fn resolve(
    redirects: &Redirects,
    request: &HttpRequest,
    body: Payload,
    asked: &Asked<'_>,
    is_unlisted: &mut bool,
) -> Result<HttpResponse, Failure> {
    let mut body = Posted::new(body);
    let (mut lost, mut counted) = (0, None);
    while lost < ATTEMPTS {
        let before = (counted.take(), lost + 1 == ATTEMPTS);
        match attempt(redirects, request, &mut body, before, asked, is_unlisted).await? {
            Step::Break(response) => return Ok(response),
            Step::Continue(now) => {
                lost += usize::from(now.is_none());
                counted = now;
            }
        }
    }
    Err(Problem {
        retry_after: Some(Duration::from_secs(1)),
        ..Problem::new(Code::Unavailable, "this link changes all the time")
    }
    .into())
}

/// Follows the link of which the attempt before counted a visit, or the link as it is found.
async fn attempt(
    redirects: &Redirects,
    request: &HttpRequest,
    body: &mut Posted,
    (counted, is_last): (Option<Arc<FollowedLink>>, bool),
    asked: &Asked<'_>,
    is_unlisted: &mut bool,
) -> Result<Step, Failure> {
    let now = redirects.clock.now();
    let hidden = || nothing_there(asked);
    let is_counted = counted.is_some();
    let link = match counted {
        Some(link) => link,
        None => find(redirects, &asked.key, now).await?.ok_or_else(hidden)?,
    };
    let edge = &redirects.edge;
    let place = edge.forwarded_place(request);
    let facts = RequestFacts::new(edge, request, link.id(), now.second(), place.as_ref());
    let user_agent = &*header(request, &USER_AGENT).unwrap_or_default();
    let query = asked.query.as_deref();
    let visitor = Visitor {
        now: now.second(),
        user_agent,
        country: None,
        query,
        rest: asked.rest,
        facts: &facts,
    };
    let rules = redirects.rules();
    let resolution = link.resolve(&visitor, rules);
    let noindex = link.terms().delivery.noindex;
    // The answer for a hidden link tells nothing of it.
    *is_unlisted =
        !matches!(resolution, Resolution::Absent) && noindex.unwrap_or(redirects.options.noindex);
    let (arrival, passage) = match resolution {
        Resolution::Open(arrival) => (arrival, Passage::Open),
        Resolution::Absent => return Err(hidden().into()),
        Resolution::Expired => {
            return Err(Problem::new(Code::LinkExpired, "this link has expired").into());
        }
        Resolution::Gate(gate) => {
            // Few visitors see a gate, so its future is boxed. Otherwise every redirect
            // would allocate room for it, several times the size of its own.
            match Box::pin(gate::examine(redirects, request, body, &link, &gate, now)).await? {
                Verdict::Stopped(response) => {
                    redirects.outcomes.count(Outcome::Gate);
                    return Ok(Step::Break(response));
                }
                Verdict::Warned(password) => {
                    redirects.outcomes.count(Outcome::Gate);
                    let target = link.target(&visitor, rules);
                    let page = pages::warning(request, target.as_deref(), password.as_deref());
                    return Ok(Step::Break(page));
                }
                // Browsers must not post a form again to the destination.
                Verdict::Passed if request.method() == Method::POST => {
                    (link.deliver(&visitor, rules), Passage::Form)
                }
                Verdict::Passed => (link.deliver(&visitor, rules), Passage::Gated),
            }
        }
    };
    let sealed = || {
        redirects.outcomes.count(Outcome::Preview);
        let page = link_pages::sealed(request, edge, &link);
        Ok(Step::Break(page))
    };
    let lead = match arrival {
        Arrival::Led(lead) => lead,
        Arrival::Detour(target) => {
            redirects.outcomes.count(Outcome::Detoured);
            return Ok(Step::Break(answer::detour(&target, passage)));
        }
        Arrival::Sealed => return sealed(),
    };
    let is_visit = gate::is_visit(request.method(), lead.by, passage);
    let counts = link.counts_visits();
    if counts && !is_visit {
        return sealed();
    }
    let proxying = redirects.proxying.as_ref();
    let proxying = proxying.filter(|_| lead.by == Means::Proxy);
    // Whom the proxy refuses is no visit.
    let admission = proxying.map(|proxying| proxying.admit(request, edge));
    let admission = admission.transpose()?;
    if counts && !is_counted {
        // Few links do, so this future is boxed as that of a gate is.
        let turn = gate::count_visit(redirects, request, &link, passage, is_last);
        if let Some(step) = Box::pin(turn).await? {
            return Ok(step);
        }
    }
    let record = || {
        if is_visit {
            let headers = VisitHeaders::new(
                user_agent,
                &header(request, &REFERER).unwrap_or_default(),
                &header(request, &ACCEPT_LANGUAGE).unwrap_or_default(),
            );
            redirects.visits.record(Visit {
                at: now,
                link: Arc::clone(&link),
                client: edge.client_address(request),
                headers: headers.with_query(query.unwrap_or_default()),
                place: place.map(Box::new),
                way: lead.way,
            });
        }
    };
    if let (Some(proxying), Some(admission)) = (proxying, admission) {
        // Recorded before the first wait, because the visitor may disconnect meanwhile.
        record();
        let visit = Proxied {
            request,
            edge,
            body: body.take(),
            link: &link,
            target: &lead.target,
            now: now.second(),
            cache: &redirects.options.cache,
        };
        let response = Box::pin(proxy::pass_on(proxying, admission, visit)).await?;
        redirects.outcomes.count(Outcome::Proxied);
        return Ok(Step::Break(response));
    }
    let validity = Validity {
        left: link.seconds_left(now.second()),
        varies: link.varies_at(now.second()),
    };
    let response = arrive(redirects, request, &link, &lead, passage, validity);
    record();
    Ok(Step::Break(response))
}

fn nothing_here() -> Problem {
    Problem::new(Code::RouteNotFound, "nothing is here")
}

/// The problem of a slug that no link has, or of a path behind one.
fn nothing_there(asked: &Asked<'_>) -> Problem {
    if asked.rest.is_some() {
        return nothing_here();
    }
    let detail = format!("no link has the slug {:?}", asked.key.slug.as_str());
    Problem::new(Code::LinkNotFound, detail)
}

/// Returns the answer for a visitor whom no gate stops.
fn arrive(
    redirects: &Redirects,
    request: &HttpRequest,
    link: &FollowedLink,
    lead: &Lead<'_>,
    passage: Passage,
    validity: Validity,
) -> HttpResponse {
    let edge = &redirects.edge;
    let target = lead.target.as_str();
    let (outcome, response) = match lead.by {
        // Without a forwarder a proxied link redirects.
        Means::Redirect | Means::Proxy => (
            Outcome::Redirected,
            answer::redirect(&lead.target, &redirects.options, passage, validity),
        ),
        Means::Preview => (
            Outcome::Preview,
            link_pages::preview(request, edge, link, target),
        ),
        Means::Frame => (
            Outcome::Framed,
            link_pages::frame(request, edge, link, target),
        ),
    };
    redirects.outcomes.count(outcome);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_one_segment_names_a_slug_and_nothing_else_does() {
        for (path, slug, query) in [
            ("/docs", "docs", ""),
            ("/docs/", "docs", ""),
            ("/api", "api", ""),
            ("/%64ocs", "docs", ""),
            ("/docs.&a=1", "docs", "a=1"),
        ] {
            let (found, behind) = slug_in(path).unwrap();
            assert_eq!((found.as_str(), behind), (slug, query), "{path}");
        }
        for other in [
            "/",
            "//",
            "/docs//",
            "/a/b",
            "/favicon.ico",
            "/_docs",
            "/docs&a=1/x",
            "/docs/.",
            "/%2564ocs",
            "*",
            "",
        ] {
            assert_eq!(slug_in(other), None, "{other}");
        }
    }

    #[test]
    fn queries_of_path_and_request_are_one() {
        for (of_path, of_request, query) in [
            ("", None, None),
            ("", Some(""), Some("")),
            ("a=1", None, Some("a=1")),
            ("a=1", Some("b=2"), Some("a=1&b=2")),
        ] {
            assert_eq!(joined(of_path, of_request).as_deref(), query);
        }
    }
}
