//! `/_oauth/authorize`: a person signs in, sees who asks, and decides.
//!
//! Nothing of a request is looked at before a person signed in. So a stranger's link shows nothing
//! of a stranger, redirects no browser, and makes the service fetch nothing.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
    web::{Data, Payload},
};
use slugline_application::{
    AskedParameters, ConsentRequest, Denied, NotAsked, NotDecided, SignInRefused, SignedIn,
};
use slugline_domain::{Origin, assistants::RedirectAddress};
use slugline_httpkit::{header as text_header, tell_codings};

use crate::{
    answer,
    connecting::{AUTHORIZE_PATH, Connecting},
    cookie,
    decision::Choice,
    pages::{self, Consent, SignInTrouble, Trouble},
    parameters::Parameters,
    words::Words,
};

/// Every parameter of a request (RFC 6749, 7636, 8707).
const NAMES: [&str; 8] = [
    "client_id",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "resource",
];

/// Shows the page on which a person signs in or decides.
pub(crate) async fn show(connecting: Data<Connecting>, request: HttpRequest) -> HttpResponse {
    let words = Words::for_visitor(&request);
    let signed_in = match signed_in(&connecting, &request).await {
        Ok(Some(signed_in)) => signed_in,
        Ok(None) => return pages::sign_in(words, None),
        Err(failed) => return failed,
    };
    match examine(&connecting, &request).await {
        Ok(asked) => {
            let choice = Choice::of(&asked);
            consent(
                &connecting,
                words,
                &request,
                &signed_in,
                &asked,
                &choice,
                None,
            )
        }
        Err(refused) => refused,
    }
}

/// Takes the form of either page.
pub(crate) async fn take(
    connecting: Data<Connecting>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let words = Words::for_visitor(&request);
    if is_foreign(&request, &connecting) {
        return pages::refused(
            words,
            StatusCode::FORBIDDEN,
            "the form comes from another site",
        );
    }
    let sent = match Parameters::of_body(&request, body).await {
        Ok(sent) => sent,
        Err(problem) => {
            let mut page = pages::refused(words, answer::status(&problem), &problem.detail);
            tell_codings(&request, &mut page);
            return page;
        }
    };
    if let Some(token) = sent.get("token") {
        return sign_in(&connecting, &request, words, token).await;
    }
    let signed_in = match signed_in(&connecting, &request).await {
        Ok(Some(signed_in)) => signed_in,
        Ok(None) => {
            let trouble = sent.get("form").map(|_| SignInTrouble::Over);
            return pages::sign_in(words, trouble);
        }
        Err(failed) => return failed,
    };
    let asked = match examine(&connecting, &request).await {
        Ok(asked) => asked,
        Err(refused) => return refused,
    };
    let form = sent.get("form").unwrap_or_default();
    if !signed_in.is_form_value(&shown(&request, &asked), form) {
        let text = "the form was made for another request, or the application changed its name";
        return pages::refused(words, StatusCode::FORBIDDEN, text);
    }
    if sent.get("decision") == Some("allow") {
        allow(&connecting, &request, words, &signed_in, &asked, &sent).await
    } else {
        deny(&connecting, &request, &signed_in, &asked.redirect).await
    }
}

async fn sign_in(
    connecting: &Connecting,
    request: &HttpRequest,
    words: &'static Words,
    token: &str,
) -> HttpResponse {
    let guard = &connecting.guard;
    let from = guard.client_address(request);
    let trouble = match connecting.assistants.sign_in(token.trim(), from).await {
        Ok(text) => {
            // The page is fetched anew, so that reloading it sends no token.
            return HttpResponse::SeeOther()
                .insert_header((header::LOCATION, own_address(request)))
                .insert_header((header::SET_COOKIE, cookie::set(&text, &connecting.base)))
                .insert_header((header::CACHE_CONTROL, "no-store"))
                .finish();
        }
        Err(SignInRefused::MayNotConsent) => SignInTrouble::MayNotConsent,
        Err(SignInRefused::Store(_) | SignInRefused::Denied(Denied::Store(_))) => {
            return pages::failed(words);
        }
        Err(SignInRefused::Denied(denied)) => {
            guard.note_refused_token(&denied, from);
            match denied {
                Denied::TooMany(wait) => SignInTrouble::TooMany(wait.retry_after),
                Denied::OtherResource => SignInTrouble::MayNotConsent,
                Denied::NoToken
                | Denied::TooShort
                | Denied::WrongToken
                | Denied::WrongCode
                | Denied::Expired { .. }
                | Denied::Store(_) => SignInTrouble::WrongToken,
            }
        }
    };
    pages::sign_in(words, Some(trouble))
}

async fn allow(
    connecting: &Connecting,
    request: &HttpRequest,
    words: &'static Words,
    signed_in: &SignedIn,
    asked: &ConsentRequest,
    sent: &Parameters,
) -> HttpResponse {
    let choice = Choice::read(sent);
    let again = |trouble| {
        consent(
            connecting,
            words,
            request,
            signed_in,
            asked,
            &choice,
            Some(trouble),
        )
    };
    let decision = match choice.decision(connecting.assistants.now()) {
        Ok(decision) => decision,
        Err(text) => return again(Trouble::Links(text)),
    };
    let author = connecting.guard.author(&signed_in.caller, request);
    let assistants = &connecting.assistants;
    match assistants.allow(signed_in, asked, decision, author).await {
        Ok(code) => go(connecting, request, &asked.redirect, &[("code", &code)]),
        Err(NotDecided::NoScope) => again(Trouble::NoScope),
        Err(NotDecided::EndNotInFuture) => again(Trouble::End),
        Err(NotDecided::Over) => pages::sign_in(words, Some(SignInTrouble::Over)),
        Err(NotDecided::Links(error)) => again(Trouble::Links(error.to_string())),
        Err(NotDecided::Store(_)) => pages::failed(words),
    }
}

async fn deny(
    connecting: &Connecting,
    request: &HttpRequest,
    signed_in: &SignedIn,
    redirect: &RedirectAddress,
) -> HttpResponse {
    // Whether or not the session can be ended, the application gets nothing.
    let _ = connecting.assistants.deny(signed_in).await;
    let denied = [
        ("error", "access_denied"),
        ("error_description", "the person did not agree"),
    ];
    go(connecting, request, redirect, &denied)
}

async fn signed_in(
    connecting: &Connecting,
    request: &HttpRequest,
) -> Result<Option<SignedIn>, HttpResponse> {
    let Some(text) = cookie::of(request, &connecting.base) else {
        return Ok(None);
    };
    let found = connecting.assistants.signed_in(&text).await;
    found.map_err(|_| pages::failed(Words::for_visitor(request)))
}

async fn examine(
    connecting: &Connecting,
    request: &HttpRequest,
) -> Result<ConsentRequest, HttpResponse> {
    let words = Words::for_visitor(request);
    let sent = Parameters::read(request.query_string());
    if let Some(name) = sent.repeated(&NAMES) {
        let text = format!("{name} is there twice");
        return Err(pages::refused(words, StatusCode::BAD_REQUEST, &text));
    }
    let given = |name| sent.get(name).map(str::to_owned);
    let parameters = AskedParameters {
        client_id: given("client_id"),
        redirect_uri: given("redirect_uri"),
        response_type: given("response_type"),
        scope: given("scope"),
        code_challenge: given("code_challenge"),
        code_challenge_method: given("code_challenge_method"),
        resource: given("resource"),
    };
    match connecting.assistants.examine(&parameters).await {
        Ok(asked) => Ok(asked),
        Err(NotAsked::Shown(error)) => {
            answer::report(&error);
            let status = answer::named(&error).status;
            Err(pages::refused(words, status, &error.to_string()))
        }
        Err(NotAsked::Sent { redirect, error }) => {
            let code = answer::named(&error).code;
            let text = error.to_string();
            let told = [("error", code), ("error_description", text.as_str())];
            Err(go(connecting, request, &redirect, &told))
        }
    }
}

fn consent(
    connecting: &Connecting,
    words: &'static Words,
    request: &HttpRequest,
    signed_in: &SignedIn,
    asked: &ConsentRequest,
    choice: &Choice,
    trouble: Option<Trouble>,
) -> HttpResponse {
    pages::consent(&Consent {
        words,
        form: &signed_in.form_value(&shown(request, asked)),
        person: signed_in.caller.name(),
        asked,
        choice,
        hosts: &connecting.assistants.hosts(),
        trouble,
    })
}

/// Ties a decision to the request and to the application as the page named it. The application may
/// change its name meanwhile, because its document is its own.
fn shown(request: &HttpRequest, asked: &ConsentRequest) -> String {
    format!("{} {} {}", request.query_string(), asked.host, asked.name)
}

/// Sends the browser to the application, with the state of its request and with our name (RFC 9207).
/// Whatever the answer is, the cookie has done its work.
fn go(
    connecting: &Connecting,
    request: &HttpRequest,
    redirect: &RedirectAddress,
    told: &[(&str, &str)],
) -> HttpResponse {
    let sent = Parameters::read(request.query_string());
    let state = sent.get("state").map(|state| ("state", state));
    let own = ("iss", connecting.base.as_str());
    let all = told.iter().copied().chain(state).chain([own]);
    let location = HeaderValue::from_str(&redirect.with_parameters(all));
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, location.expect("a URL is visible ASCII")))
        .insert_header((header::SET_COOKIE, cookie::remove(&connecting.base)))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .finish()
}

/// The address of this page with its request. It is relative, because a proxy may have
/// taken a path away.
fn own_address(request: &HttpRequest) -> String {
    let (_, page) = AUTHORIZE_PATH.rsplit_once('/').expect("it is a path");
    format!("{page}?{}", request.query_string())
}

/// Returns whether a page of another site sent the form. Older browsers name the origin alone.
fn is_foreign(request: &HttpRequest, connecting: &Connecting) -> bool {
    let site = text_header(request, "sec-fetch-site").map(|site| site != "same-origin");
    site.unwrap_or_else(|| {
        let origin = text_header(request, "origin");
        origin.is_some_and(|origin| Origin::parse(&origin).as_ref() != Ok(connecting.base.origin()))
    })
}
