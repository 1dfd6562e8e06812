//! The pages, in the visitor's language. They run no scripts, load nothing from elsewhere, and
//! no site can frame them; the template engine escapes every value.

use std::time::Duration;

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
};
use askama::Template;
use slugline_application::ConsentRequest;
use slugline_domain::Scope;

use crate::{
    decision::{Choice, DAYS},
    shown_host::ShownHost,
    words::Words,
};

const STYLE: &str = include_str!("../templates/page.css");

/// Browsers apply `form-action` to every redirect after a form, and applications redirect on from
/// the address that they registered. So naming addresses would keep people from getting back.
const CONTENT_POLICY: &str =
    "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/// The reason why the page that signs in is shown again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SignInTrouble {
    /// The token is wrong.
    WrongToken,
    /// The token may not make tokens.
    MayNotConsent,
    /// The network sent too many wrong ones; wait this long.
    TooMany(Duration),
    /// The session is over.
    Over,
}

/// The reason why the page that asks is shown again.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// No scope is left.
    NoScope,
    /// The end is not in the future.
    End,
    /// A slug or a tag cannot be used; the text says why.
    Links(String),
}

/// The page on which a person decides.
#[derive(Debug)]
pub(crate) struct Consent<'a> {
    pub(crate) words: &'static Words,
    pub(crate) form: &'a str,
    pub(crate) person: &'a str,
    pub(crate) asked: &'a ConsentRequest,
    pub(crate) choice: &'a Choice,
    /// The hosts of all domains; none if there is only one domain.
    pub(crate) hosts: &'a [String],
    pub(crate) trouble: Option<Trouble>,
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    words: &'static Words,
    trouble: Option<String>,
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    words: &'static Words,
    form: &'a str,
    person: &'a str,
    name: &'a str,
    host: ShownHost<'a>,
    redirect_host: ShownHost<'a>,
    loopback: bool,
    permissions: Vec<Permission>,
    choice: &'a Choice,
    bound: bool,
    hosts: Vec<HostChoice<'a>>,
    ends: Vec<End>,
    trouble: Option<&'static str>,
    detail: Option<&'a str>,
}

/// A scope in words.
struct Permission {
    scope: &'static str,
    text: &'static str,
    chosen: bool,
}

/// A domain that a person can choose.
struct HostChoice<'a> {
    host: &'a str,
    chosen: bool,
}

/// An end that a person can choose.
struct End {
    days: u16,
    text: &'static str,
    chosen: bool,
}

#[derive(Template)]
#[template(path = "message.html")]
struct MessagePage<'a> {
    words: &'static Words,
    title: &'a str,
    text: &'a str,
    detail: Option<&'a str>,
}

/// The style sheet.
pub(crate) async fn style() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(STYLE)
}

/// Asks for the token.
pub(crate) fn sign_in(words: &'static Words, trouble: Option<SignInTrouble>) -> HttpResponse {
    let (status, text) = match trouble {
        None => (StatusCode::OK, None),
        Some(SignInTrouble::WrongToken) => {
            (StatusCode::FORBIDDEN, Some(words.wrong_token.to_owned()))
        }
        Some(SignInTrouble::MayNotConsent) => {
            (StatusCode::FORBIDDEN, Some(words.may_not.to_owned()))
        }
        Some(SignInTrouble::Over) => (StatusCode::OK, Some(words.over.to_owned())),
        Some(SignInTrouble::TooMany(wait)) => {
            let seconds = wait.as_secs().max(1).to_string();
            let text = words.too_many.replace("{seconds}", &seconds);
            (StatusCode::TOO_MANY_REQUESTS, Some(text))
        }
    };
    let page = SignInPage {
        words,
        trouble: text,
    };
    let mut response = respond(status, words, &page);
    if let Some(SignInTrouble::TooMany(wait)) = trouble {
        let seconds = HeaderValue::from(wait.as_secs().max(1));
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

/// Asks for the decision.
pub(crate) fn consent(consent: &Consent<'_>) -> HttpResponse {
    let status = match &consent.trouble {
        None => StatusCode::OK,
        Some(_) => StatusCode::BAD_REQUEST,
    };
    let redirect_host = consent.asked.redirect.host();
    respond(status, consent.words, &consent.page(&redirect_host))
}

impl<'a> Consent<'a> {
    fn page(&'a self, redirect_host: &'a str) -> ConsentPage<'a> {
        let Self {
            words,
            asked,
            choice,
            ..
        } = self;
        let in_words = |scope| match scope {
            Scope::LinksRead => words.links_read,
            Scope::LinksWrite => words.links_write,
            Scope::AnalyticsRead => words.analytics_read,
            Scope::Admin => words.never,
        };
        let permissions = asked.scopes.iter().map(|scope| Permission {
            scope: scope.as_str(),
            text: in_words(scope),
            chosen: choice.scopes.contains(&scope),
        });
        let ends = DAYS.into_iter().zip(words.days).map(|(days, text)| End {
            days,
            text,
            chosen: choice.days == Some(days),
        });
        let hosts = self.hosts.iter().map(|host| HostChoice {
            host,
            chosen: choice.domains.contains(host),
        });
        ConsentPage {
            words,
            form: self.form,
            person: self.person,
            name: asked.name.as_str(),
            host: ShownHost::of(&asked.host),
            redirect_host: ShownHost::of(redirect_host),
            loopback: asked.redirect.is_loopback(),
            permissions: permissions.collect(),
            choice,
            bound: !(choice.tags.is_empty()
                && choice.slugs.is_empty()
                && choice.domains.is_empty()),
            hosts: hosts.collect(),
            ends: ends.collect(),
            trouble: self.trouble.as_ref().map(|trouble| match trouble {
                Trouble::NoScope => words.no_scope,
                Trouble::End => words.ends,
                Trouble::Links(_) => words.wrong_links,
            }),
            detail: match &self.trouble {
                Some(Trouble::Links(text)) => Some(text),
                Some(Trouble::NoScope | Trouble::End) | None => None,
            },
        }
    }
}

/// Says that there is nothing to decide. The detail is for the application's developer.
pub(crate) fn refused(words: &'static Words, status: StatusCode, detail: &str) -> HttpResponse {
    let page = MessagePage {
        words,
        title: words.refused_title,
        text: words.refused_text,
        detail: Some(detail),
    };
    respond(status, words, &page)
}

/// Says that the service failed.
pub(crate) fn failed(words: &'static Words) -> HttpResponse {
    let page = MessagePage {
        words,
        title: words.failed_title,
        text: words.failed_text,
        detail: None,
    };
    let mut response = respond(StatusCode::SERVICE_UNAVAILABLE, words, &page);
    let seconds = HeaderValue::from_static("5");
    response.headers_mut().insert(header::RETRY_AFTER, seconds);
    response
}

fn respond(status: StatusCode, words: &'static Words, page: &impl Template) -> HttpResponse {
    let html = page.render().expect("writing to a string does not fail");
    HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_SECURITY_POLICY, CONTENT_POLICY))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // With `no-referrer` browsers hide the origin of the form from us.
        .insert_header((header::REFERRER_POLICY, "same-origin"))
        .insert_header((header::CONTENT_LANGUAGE, words.lang))
        .insert_header((header::VARY, "Accept-Language, Cookie"))
        .insert_header((HeaderName::from_static("x-robots-tag"), "noindex, nofollow"))
        .insert_header((
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin-allow-popups",
        ))
        .body(html)
}

#[cfg(test)]
mod tests {
    use slugline_httpkit::Locale;

    use super::*;

    const HOSTILE: &str = "\"><script>alert('x')</script>&";

    fn sign_in_page(words: &'static Words) -> String {
        let page = SignInPage {
            words,
            trouble: Some(words.wrong_token.to_owned()),
        };
        page.render().unwrap()
    }

    fn consent_page(words: &'static Words, loopback: bool) -> String {
        let choice = Choice {
            scopes: vec![Scope::LinksRead],
            tags: HOSTILE.into(),
            slugs: HOSTILE.into(),
            domains: vec![HOSTILE.into()],
            days: Some(30),
        };
        let page = ConsentPage {
            words,
            form: HOSTILE,
            person: HOSTILE,
            name: HOSTILE,
            host: ShownHost::of(HOSTILE),
            redirect_host: ShownHost::of(HOSTILE),
            loopback,
            permissions: vec![Permission {
                scope: "links:read",
                text: words.links_read,
                chosen: true,
            }],
            choice: &choice,
            bound: true,
            hosts: vec![HostChoice {
                host: HOSTILE,
                chosen: true,
            }],
            ends: vec![End {
                days: 30,
                text: words.days[2],
                chosen: true,
            }],
            trouble: Some(words.wrong_links),
            detail: Some(HOSTILE),
        };
        page.render().unwrap()
    }

    #[test]
    fn nothing_written_by_strangers_becomes_markup() {
        let words = Words::of(Locale::English);
        let html = consent_page(words, true);
        for markup in ["<script", HOSTILE] {
            assert!(!html.contains(markup), "{html}");
        }
        assert!(html.contains("&#60;script&#62;"), "{html}");
    }

    #[test]
    fn every_language_fills_every_page_and_says_which_it_is() {
        for locale in Locale::ALL {
            let words = Words::of(locale);
            let lang = format!("<html lang=\"{}\">", locale.tag());
            let asked = sign_in_page(words);
            for text in [
                lang.as_str(),
                words.sign_in_title,
                words.token,
                words.sign_in,
            ] {
                assert!(asked.contains(text), "{text}: {asked}");
            }
            let shown = consent_page(words, true);
            for text in [
                lang.as_str(),
                words.unverified,
                words.goes_to_program,
                words.links_read,
                words.never,
                words.domains,
                words.allow,
                words.deny,
            ] {
                assert!(shown.contains(text), "{text}: {shown}");
            }
            assert!(!consent_page(words, false).contains(words.goes_to_program));
        }
    }
}
