//! The pages in the service's own words, in the visitor's language. They run no
//! scripts and load nothing from elsewhere; the template engine escapes every
//! value.

use std::borrow::Cow;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderName, HeaderValue},
};
use askama::Template;
use slugline_httpkit::Locale;

use crate::{
    disguise::without_disguise,
    mount::Mounted,
    page::{render, respond},
    words::{Message, Words},
};

/// Forms may lead anywhere: browsers apply `form-action` to the redirect that
/// follows, so naming it would block every destination.
const CONTENT_POLICY: &str =
    "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/// Asks for the link's password. `refused` tells that the last one was wrong.
pub(crate) fn password(request: &HttpRequest, refused: bool) -> HttpResponse {
    let speech = Speech::for_visitor(request);
    let page = PasswordPage {
        root: Mounted::of(request).root(),
        speech,
        refused,
    };
    spoken(render(&page), speech)
}

/// Warns before an unsafe destination, which it shows unless visits are counted. A password that was already given
/// travels along, so that the visitor need not type it again.
pub(crate) fn warning(
    request: &HttpRequest,
    target: Option<&str>,
    password: Option<&str>,
) -> HttpResponse {
    let speech = Speech::for_visitor(request);
    let page = WarningPage {
        root: Mounted::of(request).root(),
        speech,
        target: target.map(without_disguise),
        password,
    };
    spoken(render(&page), speech)
}

/// Shows one message.
pub(crate) fn message(
    request: &HttpRequest,
    choose: impl Fn(&'static Words) -> Message,
) -> HttpResponse {
    let speech = Speech::for_visitor(request);
    let Message { title, text } = choose(speech.words);
    let page = MessagePage {
        root: Mounted::of(request).root(),
        speech,
        title,
        text,
    };
    spoken(render(&page), speech)
}

/// A language and its texts.
#[derive(Clone, Copy, Debug)]
struct Speech {
    lang: &'static str,
    words: &'static Words,
}

impl Speech {
    fn for_visitor(request: &HttpRequest) -> Self {
        Self::of(Locale::of(request))
    }

    fn of(locale: Locale) -> Self {
        Self {
            lang: locale.tag(),
            words: Words::of(locale),
        }
    }
}

#[derive(Template)]
#[template(path = "password.html")]
struct PasswordPage {
    /// The relative address of the service's own paths.
    root: String,
    speech: Speech,
    refused: bool,
}

#[derive(Template)]
#[template(path = "warning.html")]
struct WarningPage<'a> {
    /// The relative address of the service's own paths.
    root: String,
    speech: Speech,
    target: Option<Cow<'a, str>>,
    password: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "message.html")]
struct MessagePage<'a> {
    /// The relative address of the service's own paths.
    root: String,
    speech: Speech,
    title: &'a str,
    text: &'a str,
}

fn spoken(html: String, speech: Speech) -> HttpResponse {
    let mut response = respond(html, CONTENT_POLICY);
    let own: [(HeaderName, &'static str); 3] = [
        (header::CONTENT_LANGUAGE, speech.lang),
        (header::VARY, "Accept-Language, Cookie"),
        (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
    ];
    for (name, value) in own {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\"><script>alert('x')</script>&";

    fn password_page(locale: Locale, refused: bool) -> String {
        render(&PasswordPage {
            root: "./".to_owned(),
            speech: Speech::of(locale),
            refused,
        })
    }

    fn warning_page(locale: Locale) -> String {
        render(&WarningPage {
            root: "./".to_owned(),
            speech: Speech::of(locale),
            target: Some(HOSTILE.into()),
            password: Some(HOSTILE),
        })
    }

    #[test]
    fn nothing_written_by_strangers_becomes_markup() {
        let message = MessagePage {
            root: "./".to_owned(),
            speech: Speech::of(Locale::English),
            title: HOSTILE,
            text: HOSTILE,
        };
        for html in [warning_page(Locale::English), render(&message)] {
            for markup in ["<script", HOSTILE] {
                assert!(!html.contains(markup), "{html}");
            }
            assert!(html.contains("&#60;script&#62;"), "{html}");
        }
    }

    #[test]
    fn an_error_is_announced_and_a_fresh_form_has_none() {
        let fresh = password_page(Locale::English, false);
        assert!(fresh.contains("Password Required") && !fresh.contains("role=\"alert\""));
        let again = password_page(Locale::English, true);
        assert!(again.contains("role=\"alert\">Incorrect password<"));
    }

    #[test]
    fn every_language_fills_every_page_and_says_which_it_is() {
        for locale in Locale::ALL {
            let words = Words::of(locale);
            let lang = format!("<html lang=\"{}\">", locale.tag());
            let asked = password_page(locale, true);
            for text in [
                lang.as_str(),
                words.password_required,
                words.enter_password,
                words.wrong_password,
                &format!("<label for=\"password\">{}<", words.password),
                &format!("<button type=\"submit\">{}<", words.go_on),
            ] {
                assert!(asked.contains(text), "{text}: {asked}");
            }
            let warned = warning_page(locale);
            for text in [&lang, words.unsafe_link, words.trust_it, words.go_back] {
                assert!(warned.contains(text), "{text}: {warned}");
            }
        }
    }
}
