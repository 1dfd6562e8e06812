//! Gates, and the count of visits, which a visitor passes before the destination.
//!
//! Programs send headers, people send forms. The rules are Sink's: a password header
//! takes precedence, and a form is read only when it is posted.
//!
//! A visit is counted before the answer that tells where the link leads, and only for that.

use std::{ops::ControlFlow, sync::Arc};

use actix_web::{HttpRequest, HttpResponse, http::Method, web::Payload};
use serde_json::Value;
use slugline_application::{NotChecked, PasswordCheck};
use slugline_domain::{FollowedLink, Gate, Means, PasswordHash, UnixMillis, ports::Taking};
use slugline_httpkit::{Code, Failure, Problem, header, media_type, read_body};

use crate::{
    answer::{self, Passage},
    outcome::Outcome,
    pages,
    redirects::Redirects,
};

/// The result of examining a visitor at a gate.
pub(crate) enum Verdict {
    /// The visitor gets this page and goes no further.
    Stopped(HttpResponse),
    /// The visitor passed all of the link's gates.
    Passed,
    /// The visitor passed to the warning, whose form carries this password along.
    Warned(Option<String>),
}

/// The body of a request. It arrives once, but a link that changes meanwhile is examined again.
pub(crate) struct Posted {
    body: Option<Payload>,
    form: Form,
}

impl Posted {
    pub(crate) fn new(body: Payload) -> Self {
        Self {
            body: Some(body),
            form: Form::default(),
        }
    }

    /// Takes the body; `None` if a gate has read it.
    pub(crate) fn take(&mut self) -> Option<Payload> {
        self.body.take()
    }

    /// The form in the body. One that is not posted is empty.
    async fn form(&mut self, request: &HttpRequest) -> Result<&Form, Problem> {
        if request.method() == Method::POST
            && let Some(body) = self.body.take()
        {
            self.form = Form::of(request, body).await?;
        }
        Ok(&self.form)
    }
}

/// Examines the visitor. Reads the body if it has to.
pub(crate) async fn examine(
    redirects: &Redirects,
    request: &HttpRequest,
    body: &mut Posted,
    link: &FollowedLink,
    gate: &Gate<'_>,
    now: UnixMillis,
) -> Result<Verdict, Failure> {
    let confirmed_by_header = header(request, "x-link-confirm").as_deref() == Some("true");
    let flagged = link.terms().flagged_unsafe;
    let Gate::Password(hash) = gate else {
        let confirmed = confirmed_by_header || body.form(request).await?.confirmed();
        return Ok(if confirmed {
            Verdict::Passed
        } else {
            Verdict::Warned(None)
        });
    };
    let door = Door {
        redirects,
        request,
        link,
        hash,
        now,
    };
    if let Some(presented) = header(request, "x-link-password") {
        return match door.try_password(&presented).await? {
            PasswordCheck::Wrong => {
                Err(Problem::new(Code::WrongPassword, "the link has another password").into())
            }
            PasswordCheck::Right if flagged && !confirmed_by_header => {
                Err(Problem::new(Code::ConfirmationRequired, "the link is flagged unsafe").into())
            }
            PasswordCheck::Right => Ok(Verdict::Passed),
        };
    }
    if request.method() != Method::POST {
        return Ok(Verdict::Stopped(pages::password(request, false)));
    }
    let form = body.form(request).await?;
    let presented = form.text("password").unwrap_or_default();
    Ok(match door.try_password(presented).await? {
        PasswordCheck::Wrong => Verdict::Stopped(pages::password(request, true)),
        PasswordCheck::Right if flagged && !confirmed_by_header && !form.confirmed() => {
            Verdict::Warned(Some(presented.to_owned()))
        }
        PasswordCheck::Right => Verdict::Passed,
    })
}

/// A visitor at a link's password gate.
struct Door<'a> {
    redirects: &'a Redirects,
    request: &'a HttpRequest,
    link: &'a FollowedLink,
    hash: &'a PasswordHash,
    now: UnixMillis,
}

impl Door<'_> {
    async fn try_password(&self, presented: &str) -> Result<PasswordCheck, Failure> {
        if presented.trim().is_empty() {
            return Ok(PasswordCheck::Wrong);
        }
        let edge = &self.redirects.edge;
        let client = edge.client_address(self.request);
        let outcome = self
            .redirects
            .gatekeeper
            .check(self.link, self.hash, presented, client, self.now)
            .await;
        if let Ok(PasswordCheck::Wrong) | Err(NotChecked::TooMany(_)) = &outcome {
            edge.refused_password(client);
        }
        Ok(outcome?)
    }
}

/// The members of a posted form, or of a posted JSON object.
#[derive(Default)]
pub(crate) struct Form {
    members: Vec<(String, String)>,
    /// True if a page of another site may have posted the form.
    foreign: bool,
}

impl Form {
    /// The most bytes of a form. Forms hold a password and a flag; a longer one is not
    /// ours.
    const LIMIT: usize = 16 << 10;
    /// Bodies that arrive too slowly, or in a content coding.
    const TOLD: [Code; 2] = [Code::RequestTimeout, Code::ContentCodingNotRead];

    /// Reads a form. A body with another fault counts as an empty form, so the visitor sees the
    /// page again.
    async fn of(request: &HttpRequest, body: Payload) -> Result<Self, Problem> {
        match read_body(request, body, Self::LIMIT).await {
            Ok(bytes) => Ok(Self {
                foreign: is_from_another_site(request),
                ..Self::read(&media_type(request), &bytes)
            }),
            Err(problem) if Self::TOLD.contains(&problem.code) => Err(problem),
            Err(_) => Ok(Self::default()),
        }
    }

    pub(crate) fn read(media_type: &str, bytes: &[u8]) -> Self {
        let members = if media_type.contains("json") {
            let object: Value = serde_json::from_slice(bytes).unwrap_or_default();
            let members = object.as_object().into_iter().flatten();
            members
                .filter_map(|(name, value)| Some((name.clone(), as_text(value)?)))
                .collect()
        } else {
            url::form_urlencoded::parse(bytes).into_owned().collect()
        };
        Self {
            members,
            foreign: false,
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.members
            .iter()
            .find(|(member, _)| member == name)
            .map(|(_, text)| text.as_str())
    }

    /// Returns whether the visitor confirmed the warning. A page of another site cannot
    /// confirm it, because the visitor never saw the warning.
    pub(crate) fn confirmed(&self) -> bool {
        !self.foreign && self.text("confirm") == Some("true")
    }
}

/// Browsers tell where a request comes from (Fetch Metadata); they leave it out on plain
/// HTTP, and programs always do.
fn is_from_another_site(request: &HttpRequest) -> bool {
    header(request, "sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A step of following a link. It ends with an answer; or goes on with the version of the link of
/// which a visit is counted, or, as memory has forgotten an outdated version, with none.
pub(crate) type Step = ControlFlow<HttpResponse, Option<Arc<FollowedLink>>>;

/// Returns whether a person may be at the other end of an answer that tells a destination. Apps and
/// scanners send `HEAD` with the name of a browser, and browsers follow no redirect by a method but
/// `GET`, or `POST` where our own form posts. Behind a proxied link the destination answers.
pub(crate) fn is_visit(method: &Method, by: Means, passage: Passage) -> bool {
    match *method {
        Method::GET => true,
        Method::HEAD | Method::OPTIONS => false,
        Method::POST if passage == Passage::Form => true,
        _ => by == Means::Proxy,
    }
}

/// Counts the visit, unless a browser asks ahead of the visitor. Returns `None` if it is one of this
/// version. With `is_last`, changes of the link wait, and the visit may be one of a later version.
pub(crate) async fn count_visit(
    redirects: &Redirects,
    request: &HttpRequest,
    link: &FollowedLink,
    passage: Passage,
    is_last: bool,
) -> Result<Option<Step>, Failure> {
    if is_fetched_ahead(request) {
        let reason = "visits of this link are counted, so it is not fetched ahead";
        return Err(Problem::new(Code::Unavailable, reason).into());
    }
    let (taking, now) = redirects.resolver.take_visit(link, is_last).await?;
    match taking {
        Taking::Taken => Ok(now.map(|link| Step::Continue(Some(link)))),
        Taking::UsedUp => match &now.as_deref().unwrap_or(link).terms().life.expired_url {
            Some(elsewhere) => {
                redirects.outcomes.count(Outcome::Detoured);
                let response = answer::detour(&elsewhere.uri(), passage);
                Ok(Some(Step::Break(response)))
            }
            None => Err(Problem::new(Code::LinkExpired, "this link is used up").into()),
        },
        Taking::Outdated => Ok(Some(Step::Continue(None))),
    }
}

/// Returns whether a browser asks before a visitor follows the link. It asks again when one
/// does, if this answer is an error (<https://wicg.github.io/nav-speculation/prefetch.html>). Safari
/// says `X-Purpose: preview` when it draws a page for its list of favourites.
fn is_fetched_ahead(request: &HttpRequest) -> bool {
    let headers = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
    let purposes = ["prefetch", "prerender", "preview"];
    let mut said = headers.iter().filter_map(|name| header(request, *name));
    said.any(|said| purposes.iter().any(|purpose| said.contains(purpose)))
}
