//! Redirects, errors and pages as HTTP.

use std::{borrow::Cow, fmt::Write, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
};
use slugline_httpkit::{Problem, header as text_header, problem_response};
use thiserror::Error;

use crate::pages;

/// How redirects look.
#[derive(Clone, Debug)]
pub struct RedirectOptions {
    /// Status.
    pub status: RedirectStatus,
    /// What browsers and proxies may remember.
    pub cache: CachePolicy,
    /// Whether the visitor's query is merged into destinations, for links that
    /// do not say.
    pub with_query: bool,
}

impl Default for RedirectOptions {
    fn default() -> Self {
        Self {
            status: RedirectStatus(StatusCode::MOVED_PERMANENTLY),
            cache: CachePolicy::private(Duration::from_secs(90)),
            with_query: false,
        }
    }
}

/// A status that redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedirectStatus(StatusCode);

impl RedirectStatus {
    /// 301, 302, 307 or 308.
    ///
    /// # Errors
    /// Another number.
    pub fn new(status: u16) -> Result<Self, UnknownRedirectStatus> {
        match status {
            301 => Ok(Self(StatusCode::MOVED_PERMANENTLY)),
            302 => Ok(Self(StatusCode::FOUND)),
            307 => Ok(Self(StatusCode::TEMPORARY_REDIRECT)),
            308 => Ok(Self(StatusCode::PERMANENT_REDIRECT)),
            _ => Err(UnknownRedirectStatus),
        }
    }
}

/// A number is no status that redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("redirects have the status 301, 302, 307 or 308")]
pub struct UnknownRedirectStatus;

/// The `Cache-Control` header of redirects.
#[derive(Clone, Debug)]
pub struct CachePolicy(HeaderValue);

impl CachePolicy {
    /// The visitor's own browser may remember the redirect for a while: an edit
    /// takes effect after that, and visits within it are not counted again.
    pub fn private(max_age: Duration) -> Self {
        let value = format!("private, max-age={}", max_age.as_secs());
        Self(HeaderValue::from_str(&value).expect("digits and ASCII words"))
    }

    /// Nobody may remember it.
    pub fn no_store() -> Self {
        Self(HeaderValue::from_static("no-store"))
    }
}

/// How the visitor got to the redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// There was no gate.
    Open,
    /// Past a gate, by headers: nobody may remember what is behind it.
    Gated,
    /// Past a gate, by a form. 303 makes the browser fetch the destination;
    /// 307 and 308 would post the form, password included, to it.
    Form,
}

pub(crate) fn redirect(target: &str, options: &RedirectOptions, passage: Passage) -> HttpResponse {
    let RedirectStatus(status) = options.status;
    let no_store = HeaderValue::from_static("no-store");
    let (status, cache) = match passage {
        Passage::Open => (status, options.cache.0.clone()),
        Passage::Gated => (status, no_store),
        Passage::Form => (StatusCode::SEE_OTHER, no_store),
    };
    let mut response = HttpResponse::new(status);
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location(target));
    headers.insert(header::CACHE_CONTROL, cache);
    response
}

/// A problem as a page for people and as JSON for programs.
pub(crate) fn problem(problem: &Problem, request: &HttpRequest) -> HttpResponse {
    let json = problem_response(problem, request);
    if !text_header(request, "accept").is_some_and(|types| types.contains("text/html")) {
        return json;
    }
    let mut page: HttpResponse = pages::message(&problem.title, sentence(problem).as_ref()).into();
    *page.status_mut() = json.status();
    if let Some(wait) = json.headers().get(header::RETRY_AFTER) {
        page.headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    page
}

fn sentence(problem: &Problem) -> Cow<'_, str> {
    let mut characters = problem.detail.chars();
    match characters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), characters.as_str()).into(),
        None => "".into(),
    }
}

/// Header values are visible ASCII. Destinations hold no control characters;
/// blanks and other characters are percent-encoded as UTF-8, which is what a
/// browser would do with them.
fn location(target: &str) -> HeaderValue {
    if target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return HeaderValue::from_str(target).expect("visible ASCII is a header value");
    }
    let mut encoded = String::with_capacity(target.len() + 16);
    for byte in target.bytes() {
        if byte.is_ascii_graphic() {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("writing to a string does not fail");
        }
    }
    HeaderValue::from_str(&encoded).expect("visible ASCII is a header value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_visible_ascii_whatever_the_destination_holds() {
        let encoded = |target| location(target).to_str().unwrap().to_owned();
        assert_eq!(
            encoded("https://e.example/a?b=%20#c"),
            "https://e.example/a?b=%20#c"
        );
        assert_eq!(
            encoded("https://e.example/ü b"),
            "https://e.example/%C3%BC%20b"
        );
        assert_eq!(
            encoded("https://e.example/\r\nX: y"),
            "https://e.example/%0D%0AX:%20y"
        );
    }

    #[test]
    fn an_open_redirect_is_remembered_briefly_and_a_gated_one_never() {
        let options = RedirectOptions::default();
        let shown = |passage| {
            let response = redirect("https://e.example/", &options, passage);
            let cache = response
                .headers()
                .get(header::CACHE_CONTROL)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (response.status().as_u16(), cache)
        };
        assert_eq!(shown(Passage::Open), (301, "private, max-age=90".into()));
        assert_eq!(shown(Passage::Gated), (301, "no-store".into()));
        assert_eq!(shown(Passage::Form), (303, "no-store".into()));
    }

    #[test]
    fn only_redirecting_statuses_are_taken() {
        assert!(
            [301, 302, 307, 308]
                .into_iter()
                .all(|status| RedirectStatus::new(status).is_ok())
        );
        assert!(
            [200, 300, 303, 304, 404]
                .into_iter()
                .all(|s| RedirectStatus::new(s).is_err())
        );
    }
}
