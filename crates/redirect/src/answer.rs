//! Redirects, errors and pages as HTTP.

use std::borrow::Cow;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
};
use slugline_domain::Uri;
use slugline_httpkit::{Code, Edge, Problem, header as text_header, problem_response};

use crate::{
    address::Address,
    asked_domain::AskedDomain,
    location::location,
    options::RedirectOptions,
    pages,
    words::{Message, Words},
};

/// The way in which the visitor reached the redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// There was no gate.
    Open,
    /// Past a gate, by headers. No cache may keep the answer.
    Gated,
    /// Past a gate, by a form. 303 makes the browser fetch the destination; 307
    /// and 308 would post the form to it, password included.
    Form,
}

/// The time and the visitors for which a redirect is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Validity {
    /// The number of seconds for which it stays valid, if it ends.
    pub(crate) left: Option<u64>,
    /// True if the next visitor may get another answer, so no cache may keep this one, and no status
    /// may say that it holds for good.
    pub(crate) varies: bool,
}

/// Redirects to the target.
pub(crate) fn redirect(
    target: &Uri<'_>,
    options: &RedirectOptions,
    passage: Passage,
    validity: Validity,
) -> HttpResponse {
    let no_store = HeaderValue::from_static("no-store");
    let (status, cache) = match passage {
        Passage::Open | Passage::Gated if validity.varies => (StatusCode::FOUND, no_store),
        Passage::Open => (options.status.code(), options.cache.header(validity.left)),
        Passage::Gated => (options.status.code(), no_store),
        Passage::Form => (StatusCode::SEE_OTHER, no_store),
    };
    let mut response = HttpResponse::new(status);
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location(target));
    headers.insert(header::CACHE_CONTROL, cache);
    response
}

/// Sends the visitor to an address that the operator chose. The operator may change it at
/// any time, so no cache may keep the answer.
pub(crate) fn elsewhere(address: &Address) -> HttpResponse {
    let mut response = HttpResponse::new(StatusCode::FOUND);
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, address.location());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Sends the visitor to the new address of a moved page. A link may take the path at any
/// time, so no cache may keep the answer.
pub(crate) fn moved(target: &Uri<'_>) -> HttpResponse {
    detour(target, Passage::Open)
}

/// Sends the visitor elsewhere for now, so no cache may keep the answer.
pub(crate) fn detour(target: &Uri<'_>, passage: Passage) -> HttpResponse {
    let mut response = HttpResponse::new(match passage {
        Passage::Form => StatusCode::SEE_OTHER,
        Passage::Open | Passage::Gated => StatusCode::FOUND,
    });
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location(target));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Shows a problem as a page to people and as JSON to programs. Visitors of an unknown
/// path or a link that is over go to the operator's address for them, unless they are at that
/// address.
pub(crate) fn problem(
    problem: &Problem,
    request: &HttpRequest,
    edge: &Edge,
    options: &RedirectOptions,
    domain: &AskedDomain,
) -> HttpResponse {
    let stays = |address: &Address| address.is_asked_for_by(request, edge);
    if let Some(address) = instead(problem.code, options, domain, stays) {
        return elsewhere(&address);
    }
    let json = problem_response(problem, request, edge);
    if !text_header(request, "accept").is_some_and(|types| types.contains("text/html")) {
        return json;
    }
    let mut page = pages::message(request, |words| in_words(problem.code, words));
    *page.status_mut() = json.status();
    if let Some(wait) = json.headers().get(header::RETRY_AFTER) {
        page.headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    page
}

/// The address for visitors who find nothing, or a link that is over, unless the visitor `stays`
/// there.
pub(crate) fn instead<'o>(
    code: Code,
    options: &'o RedirectOptions,
    domain: &AskedDomain,
    stays: impl Fn(&Address) -> bool,
) -> Option<Cow<'o, Address>> {
    const NOTHING_THERE: [Code; 3] = [Code::LinkNotFound, Code::LinkExpired, Code::RouteNotFound];
    let expired = || {
        domain
            .expired(options)
            .filter(|_| code == Code::LinkExpired)
    };
    let not_found = || {
        domain
            .not_found(options)
            .filter(|_| NOTHING_THERE.contains(&code))
    };
    let leads = |address: &Cow<'o, Address>| !stays(address);
    expired()
        .filter(leads)
        .or_else(|| not_found().filter(leads))
}

/// Returns the message for people. Most codes cannot occur here; those that can, but have
/// no text of their own, are failures of the server.
fn in_words(code: Code, words: &Words) -> Message {
    let wrong_password = Message {
        title: words.wrong_password,
        text: words.enter_password,
    };
    let unconfirmed = Message {
        title: words.unsafe_link,
        text: words.trust_it,
    };
    let known = [
        (Code::LinkNotFound, words.no_link),
        (Code::RouteNotFound, words.no_page),
        (Code::UriTooLong, words.no_page),
        (Code::LinkExpired, words.expired),
        (Code::WrongPassword, wrong_password),
        (Code::ConfirmationRequired, unconfirmed),
        (Code::TooManyAttempts, words.too_many_attempts),
    ];
    let found = known.into_iter().find(|(known, _)| *known == code);
    found.map_or(words.failed, |(_, message)| message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use slugline_httpkit::Locale;

    #[test]
    fn an_open_redirect_is_remembered_briefly_and_a_gated_one_never() {
        let options = RedirectOptions::default();
        let shown_as = |passage, validity| {
            let target = Uri::of("https://e.example/");
            let response = redirect(&target, &options, passage, validity);
            let cache = response
                .headers()
                .get(header::CACHE_CONTROL)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (response.status().as_u16(), cache)
        };
        let shown_until = |passage, left| {
            let varies = false;
            shown_as(passage, Validity { left, varies })
        };
        let shown = |passage| shown_until(passage, None);
        assert_eq!(shown(Passage::Open), (301, "private, max-age=90".into()));
        for (left, cache) in [(89, "private, max-age=89"), (90, "private, max-age=90")] {
            let shown = shown_until(Passage::Open, Some(left));
            assert_eq!(shown, (301, cache.into()));
        }
        assert_eq!(shown(Passage::Gated), (301, "no-store".into()));
        assert_eq!(shown(Passage::Form), (303, "no-store".into()));
        for (passage, status) in [
            (Passage::Open, 302),
            (Passage::Gated, 302),
            (Passage::Form, 303),
        ] {
            let (left, varies) = (Some(5), true);
            let shown = shown_as(passage, Validity { left, varies });
            assert_eq!(shown, (status, "no-store".into()), "{passage:?}");
        }
    }

    #[test]
    fn people_are_told_of_failures_without_their_cause() {
        let words = Words::of(Locale::English);
        let title = |code| in_words(code, words).title;
        assert_eq!(title(Code::LinkNotFound), "Link not found");
        assert_eq!(title(Code::TooManyAttempts), "Too many attempts");
        for code in [Code::InternalError, Code::Unavailable] {
            assert_eq!(title(code), "Something went wrong");
        }
    }
}
