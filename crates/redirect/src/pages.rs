//! The pages in the service's own words. No scripts, nothing from elsewhere;
//! every value is escaped by the template engine.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use askama::Template;

use crate::page::{self, respond};

/// Forms may lead anywhere: browsers apply `form-action` to the redirect that
/// follows, so naming it would block every destination.
const CONTENT_POLICY: &str =
    "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/// A page ready to be sent.
#[derive(Debug)]
pub(crate) struct Page(String);

impl From<Page> for HttpResponse {
    fn from(Page(html): Page) -> Self {
        let mut response = respond(html, CONTENT_POLICY);
        response.headers_mut().insert(
            header::HeaderName::from_static("x-robots-tag"),
            HeaderValue::from_static("noindex, nofollow"),
        );
        response
    }
}

/// Asks for the link's password.
pub(crate) fn password(action: &str, error: Option<&str>) -> Page {
    render(&Password { action, error })
}

/// Warns before an unsafe destination. A password that was given already
/// travels along, so that it need not be typed twice.
pub(crate) fn warning(action: &str, target: &str, password: Option<&str>) -> Page {
    render(&Warning {
        action,
        target,
        password,
    })
}

/// Says one thing.
pub(crate) fn message(title: &str, text: &str) -> Page {
    render(&Message { title, text })
}

#[derive(Template)]
#[template(path = "password.html")]
struct Password<'a> {
    action: &'a str,
    error: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "warning.html")]
struct Warning<'a> {
    action: &'a str,
    target: &'a str,
    password: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "message.html")]
struct Message<'a> {
    title: &'a str,
    text: &'a str,
}

fn render(template: &impl Template) -> Page {
    Page(page::render(template))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_written_by_strangers_becomes_markup() {
        let hostile = "\"><script>alert('x')</script>&";
        for Page(html) in [
            password(hostile, Some(hostile)),
            warning(hostile, hostile, Some(hostile)),
            message(hostile, hostile),
        ] {
            assert!(
                !html.contains("<script") && !html.contains(hostile),
                "{html}"
            );
            assert!(html.contains("&#60;script&#62;"), "{html}");
        }
    }

    #[test]
    fn an_error_is_announced_and_a_fresh_form_has_none() {
        let Page(fresh) = password("/docs", None);
        assert!(fresh.contains("Password Required") && !fresh.contains("role=\"alert\""));
        let Page(again) = password("/docs", Some("Incorrect password"));
        assert!(again.contains("role=\"alert\">Incorrect password<"));
    }
}
