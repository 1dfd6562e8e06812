//! A destination's answer under the short link's address.
//!
//! What is passed on, in which direction, is Sink's decision, but for headers
//! that speak for a whole origin: that one is ours.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BodySize, MessageBody},
    http::{
        StatusCode,
        header::{self, HeaderMap, HeaderName, HeaderValue},
    },
    rt,
    web::{Bytes, Payload},
};
use slugline_domain::{
    BrokenOff, Flow, ForwardFailure, ForwardedAnswer, ForwardedRequest, HeaderLine, Link, Source,
    ports::Forwarder,
};
use slugline_httpkit::{Code, Edge, Problem, header as text_header};
use tokio::sync::mpsc;

/// Speak of one connection, not of what goes through it (RFC 9110 §7.6.1).
const OF_THE_CONNECTION: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Of the visitor's headers: credentials for us, and what only we may say.
/// `expect` has been met before we get to see the request.
const NOT_FOR_DESTINATIONS: [&str; 6] = [
    "content-length",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "x-real-ip",
];
const NOT_FOR_DESTINATIONS_PREFIXES: [&str; 3] = ["cf-", "x-forwarded-", "x-link-"];

/// Of the destination's headers: those that a browser applies to everything
/// under our origin, not to this answer.
const NOT_FOR_VISITORS: [&str; 10] = [
    "alt-svc",
    "clear-site-data",
    "content-length",
    "nel",
    "public-key-pins",
    "report-to",
    "service-worker-allowed",
    "set-cookie",
    "set-cookie2",
    "strict-transport-security",
];

/// Counts the proxied links that a request has come through, because they may
/// lead to each other in circles.
const HOPS: &str = "x-link-hops";
const MAX_HOPS: u8 = 3;

/// What a document may do under our origin: everything but be of it. Without
/// `allow-same-origin` its scripts see neither our cookies nor our storage, and
/// cannot register a service worker.
const SANDBOX: HeaderValue = HeaderValue::from_static(
    "sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox \
     allow-top-navigation-by-user-activation allow-downloads allow-modals",
);

/// Fetches the target and passes its answer on. `body` is gone when a gate has
/// read it, and with it the password: the target is then asked by a plain GET.
pub(crate) async fn pass_on(
    forwarder: &dyn Forwarder,
    request: &HttpRequest,
    body: Option<Payload>,
    link: &Link,
    target: &str,
) -> Result<HttpResponse, Problem> {
    let hops = text_header(request, HOPS).map_or(0, |hops| hops.parse().unwrap_or(u8::MAX));
    if hops >= MAX_HOPS {
        return Err(failed("proxied links lead to each other"));
    }
    let method = match &body {
        Some(_) => request.method().as_str(),
        None => "GET",
    };
    let mut headers = passed_on(request, body.is_none());
    headers.push((HOPS.to_owned(), (hops + 1).to_string().into_bytes()));
    let message = ForwardedRequest {
        method: method.to_owned(),
        target: target.to_owned(),
        headers,
        body: body.and_then(|body| upload(request, body)),
    };
    match forwarder.forward(message).await {
        Ok(answer) => shown(answer, is_gated(link)),
        Err(ForwardFailure::NotAllowed) => Err(Problem::new(
            Code::ProxyTargetNotAllowed,
            "the destination is not on the public internet",
        )),
        Err(ForwardFailure::Failed(reason)) => {
            tracing::info!(slug = link.slug.as_str(), reason, "a proxied link failed");
            Err(failed("the destination did not answer as it should"))
        }
    }
}

fn failed(detail: &str) -> Problem {
    Problem::new(Code::ProxyFailed, detail)
}

fn is_gated(link: &Link) -> bool {
    link.password.is_some() || link.content.flagged_unsafe == Some(true)
}

/// The visitor's headers that are for the destination, and who the visitor is.
fn passed_on(request: &HttpRequest, without_body: bool) -> Vec<HeaderLine> {
    let nominated = nominated(request.headers());
    let is_for_destinations = |name: &str| {
        !(NOT_FOR_DESTINATIONS.contains(&name)
            || OF_THE_CONNECTION.contains(&name)
            || NOT_FOR_DESTINATIONS_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix))
            || nominated.iter().any(|other| other == name)
            || without_body && name.starts_with("content-"))
    };
    let edge = Edge::of(request);
    let origin = edge.origin(request);
    let (proto, host) = origin.as_str().split_once("://").unwrap_or_default();
    let client = edge.client_address(request).to_string();
    let ours = [
        ("x-forwarded-for", client.as_str()),
        ("x-forwarded-proto", proto),
        ("x-forwarded-host", host),
    ];
    let theirs = request.headers().iter();
    theirs
        .filter(|(name, _)| is_for_destinations(name.as_str()))
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .chain(ours.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec())))
        .collect()
}

/// The headers that a `Connection` header claims for its connection.
fn nominated(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::CONNECTION);
    let names = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    names.map(|name| name.trim().to_ascii_lowercase()).collect()
}

/// The visitor's body, if there is one. Actix keeps it on this thread; a
/// channel carries it to the other side, a few pieces ahead at most.
fn upload(request: &HttpRequest, mut body: Payload) -> Option<Flow> {
    let length = text_header(request, "content-length").and_then(|length| length.parse().ok());
    let chunked = request.headers().contains_key(header::TRANSFER_ENCODING);
    if length.unwrap_or(0) == 0 && !chunked {
        return None;
    }
    let (pieces, arriving) = mpsc::channel(4);
    rt::spawn(async move {
        while let Some(piece) =
            std::future::poll_fn(|context| poll_payload(&mut body, context)).await
        {
            let is_last = piece.is_err();
            if pieces.send(piece).await.is_err() || is_last {
                break;
            }
        }
    });
    Some(Flow {
        length,
        source: Box::new(Upload(arriving)),
    })
}

fn poll_payload(
    body: &mut Payload,
    context: &mut Context<'_>,
) -> Poll<Option<Result<Vec<u8>, BrokenOff>>> {
    use futures_core::Stream as _;
    Pin::new(body)
        .poll_next(context)
        .map(|piece| piece.map(|piece| piece.map(Into::into).map_err(|_| BrokenOff)))
}

struct Upload(mpsc::Receiver<Result<Vec<u8>, BrokenOff>>);

impl Source for Upload {
    fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Vec<u8>, BrokenOff>>> {
        self.0.poll_recv(context)
    }
}

/// The destination's answer, as ours.
fn shown(answer: ForwardedAnswer, gated: bool) -> Result<HttpResponse, Problem> {
    let status = StatusCode::from_u16(answer.status);
    let status = status.map_err(|_| failed("the destination's status is none"))?;
    let mut response = HttpResponse::build(status).body(Download(answer.body));
    let headers = response.headers_mut();
    let mut theirs = HeaderMap::new();
    for (name, value) in answer.headers {
        let name = HeaderName::try_from(name);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
            theirs.append(name, value);
        }
    }
    let nominated = nominated(&theirs);
    for (name, value) in &theirs {
        let text = name.as_str();
        let is_for_visitors = !NOT_FOR_VISITORS.contains(&text)
            && !OF_THE_CONNECTION.contains(&text)
            && !nominated.iter().any(|other| other == text);
        if is_for_visitors && !(gated && is_about_caches(text)) {
            headers.append(name.clone(), value.clone());
        }
    }
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    if gated {
        let private = HeaderValue::from_static("private, no-store");
        headers.insert(header::CACHE_CONTROL, private);
    }
    if is_document(headers) {
        headers.append(header::CONTENT_SECURITY_POLICY, SANDBOX);
    }
    Ok(response)
}

/// Content networks have headers of their own, which count before the one that
/// everybody knows.
fn is_about_caches(name: &str) -> bool {
    name.ends_with("cache-control") || matches!(name, "surrogate-control" | "expires" | "pragma")
}

/// Whether a browser could run scripts of it as a page. Only those are put into
/// the sandbox: browsers do not show PDF files there.
fn is_document(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(header::CONTENT_TYPE).peekable();
    kinds.peek().is_none() || kinds.any(|kind| names_a_document(kind.as_bytes()))
}

/// Of several types in one value, browsers take the last one they understand.
fn names_a_document(value: &[u8]) -> bool {
    let value = String::from_utf8_lossy(value).to_ascii_lowercase();
    value.split(',').any(|kind| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        is_of_a_document(kind)
    })
}

fn is_of_a_document(kind: &str) -> bool {
    match kind.split_once('/') {
        Some((_, subtype)) => {
            matches!(subtype, "html" | "xml" | "xsl" | "xslt")
                || subtype.ends_with("+xml")
                || matches!(kind, "multipart/x-mixed-replace" | "multipart/related")
        }
        // No type: what a browser makes of it, nobody knows.
        None => true,
    }
}

/// The destination's body, as actix takes it.
struct Download(Flow);

impl MessageBody for Download {
    type Error = BrokenOff;

    fn size(&self) -> BodySize {
        self.0.length.map_or(BodySize::Stream, BodySize::Sized)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, BrokenOff>>> {
        let chunk = self.0.source.poll_chunk(context);
        chunk.map(|chunk| chunk.map(|chunk| chunk.map(Bytes::from)))
    }
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_run_scripts_is_a_document() {
        let with = |kind: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
            is_document(&headers)
        };
        assert!(is_document(&HeaderMap::new()));
        for document in [
            "text/html",
            "TEXT/HTML; charset=utf-8",
            "application/xhtml+xml",
            "image/svg+xml",
            "text/xml",
            "application/xml;x",
            "image/png, text/html",
            "nonsense",
            "",
        ] {
            assert!(with(document), "{document}");
        }
        for other in [
            "application/pdf",
            "image/png",
            "application/json",
            "text/plain",
            "text/css",
        ] {
            assert!(!with(other), "{other}");
        }
    }

    #[test]
    fn of_several_types_none_hides_another() {
        let mut headers = HeaderMap::new();
        for kind in ["image/png", "text/html"] {
            headers.append(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        assert!(is_document(&headers));
    }
}
