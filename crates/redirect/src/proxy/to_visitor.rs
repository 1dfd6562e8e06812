//! The head of a destination's answer, as ours.

use actix_web::{
    HttpResponse,
    body::MessageBody,
    http::{
        StatusCode,
        header::{self, HeaderMap, HeaderName, HeaderValue},
    },
};
use slugline_domain::HeaderLine;
use slugline_httpkit::Problem;

use super::{caching::Memory, limits::failed, to_destination::nominated};

/// Headers that describe the one answer, and mean nothing to the servers
/// between the visitor and us. No others pass: browsers apply many to
/// everything under an origin (`Clear-Site-Data`, `Strict-Transport-Security`,
/// `NEL`, `Alt-Svc`, `Service-Worker-Allowed`, `Set-Cookie`), make them
/// credentials for it (`WWW-Authenticate`), or fetch what they name (`Link`);
/// reverse proxies obey some (`X-Accel-Redirect`, `X-Sendfile`,
/// `Surrogate-Control`). New ones appear every year, so this list names those
/// that pass.
const FOR_VISITORS: [&str; 22] = [
    "accept-ranges",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "allow",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-range",
    "content-security-policy",
    "content-type",
    "cross-origin-resource-policy",
    "etag",
    "last-modified",
    "location",
    "permissions-policy",
    "referrer-policy",
    "retry-after",
    "vary",
    "x-frame-options",
    "x-robots-tag",
];

/// Headers that a 304 may carry. Browsers replace the headers of the cached
/// answer by those of a 304, and its type and policy must stay together.
const OF_UNCHANGED_ANSWERS: [&str; 2] = ["etag", "vary"];

/// The rights of a document under our origin: all but those of the origin. Without
/// `allow-same-origin` its scripts see neither our cookies nor our storage, and
/// cannot register a service worker.
const SANDBOX: HeaderValue = HeaderValue::from_static(
    "sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox \
     allow-top-navigation-by-user-activation allow-downloads allow-modals",
);

/// Status and headers of an answer.
pub(super) struct Head {
    status: StatusCode,
    headers: HeaderMap,
}

impl Head {
    /// Keeps the destination's headers that are meant for visitors.
    ///
    /// # Errors
    /// Status and headers make an answer that we may not give.
    pub(super) fn of(status: u16, lines: Vec<HeaderLine>, memory: Memory) -> Result<Self, Problem> {
        let status = StatusCode::from_u16(status)
            .ok()
            .filter(|status| !status.is_informational());
        let status = status.ok_or_else(|| failed("the destination's status is none"))?;
        let mut theirs = HeaderMap::new();
        for (name, value) in lines {
            let name = HeaderName::try_from(name);
            if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
                theirs.append(name, value);
            }
        }
        if has_several_parts(&theirs) {
            return Err(failed("the destination's answer has several parts"));
        }
        let unchanged = status == StatusCode::NOT_MODIFIED;
        let passing: &[&str] = if unchanged {
            &OF_UNCHANGED_ANSWERS
        } else {
            &FOR_VISITORS
        };
        let nominated = nominated(&theirs);
        let mut headers = HeaderMap::new();
        for (name, value) in &theirs {
            let text = name.as_str();
            if passing.contains(&text) && !nominated.iter().any(|other| other == text) {
                headers.append(name.clone(), value.clone());
            }
        }
        headers.insert(header::CACHE_CONTROL, memory.header(&theirs));
        if !unchanged {
            let nosniff = HeaderValue::from_static("nosniff");
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
            if !is_pdf(&headers) {
                headers.append(header::CONTENT_SECURITY_POLICY, SANDBOX);
            }
        }
        Ok(Self { status, headers })
    }

    pub(super) fn with(self, body: impl MessageBody + 'static) -> HttpResponse {
        let mut response = HttpResponse::build(self.status).body(body);
        let headers = response.headers_mut();
        for (name, value) in &self.headers {
            headers.append(name.clone(), value.clone());
        }
        response
    }
}

/// Recognises a PDF file that no browser takes for anything else. Browsers show
/// no PDF file in a sandbox, and run its scripts in a viewer of another origin.
/// Everything else gets the sandbox: pictures and texts do not notice it, and
/// we need not know how each browser reads `text/html (x)`.
fn is_pdf(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE);
    match (types.next(), types.next()) {
        (Some(value), None) => names_a_pdf(value),
        _ => false,
    }
}

/// Returns whether every browser reads this value as a PDF file.
pub(crate) fn names_a_pdf(value: &HeaderValue) -> bool {
    let Ok(text) = value.to_str() else {
        return false;
    };
    let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
    // A comma would start another type, and quotes can hide one.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" =-_.".contains(&byte);
    essence.eq_ignore_ascii_case("application/pdf") && parameters.bytes().all(is_plain)
}

/// Parts of an answer have their own headers, and some browsers obey those:
/// Firefox lets each part set cookies.
fn has_several_parts(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE);
    types.any(|value| {
        let text = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        text.contains("multipart/")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(status: u16, lines: &[(&str, &str)]) -> Result<Head, Problem> {
        let line = |(name, value): &(&str, &str)| ((*name).to_owned(), value.as_bytes().to_vec());
        Head::of(status, lines.iter().map(line).collect(), Memory::Seconds(9))
    }

    fn is_sandboxed(lines: &[(&str, &str)]) -> bool {
        let head = head(200, lines).unwrap();
        let policies = head.headers.get_all(header::CONTENT_SECURITY_POLICY);
        let sandboxes = policies.filter(|policy| **policy == SANDBOX);
        sandboxes.count() == 1
    }

    #[test]
    fn everything_but_a_pdf_file_is_sandboxed() {
        assert!(is_sandboxed(&[]));
        for kind in [
            "text/html",
            "text/html (x)",
            "text/html x",
            "TEXT/HTML\tx",
            "application/xhtml+xml x",
            "image/svg+xml (y)",
            "application/xml x",
            "image/png, text/html",
            "image/png",
            "text/plain",
            "application/json",
            "application/pdf, text/html",
            "application/pdf;a=\"b",
            "application/pdf (x)",
            "application/pdf;,text/html",
            " ",
            "",
        ] {
            assert!(is_sandboxed(&[("content-type", kind)]), "{kind:?}");
        }
        let twice = ["application/pdf", "application/pdf"];
        assert!(is_sandboxed(&twice.map(|kind| ("content-type", kind))));
        let nominated = [
            ("content-type", "application/pdf"),
            ("connection", "Content-Type"),
        ];
        assert!(
            is_sandboxed(&nominated),
            "without its type it may be anything"
        );
        for kind in ["application/pdf", "Application/PDF; charset=binary"] {
            assert!(!is_sandboxed(&[("content-type", kind)]), "{kind}");
        }
    }

    #[test]
    fn the_destinations_own_policy_adds_to_the_sandbox() {
        let own = ("content-security-policy", "img-src 'self'");
        assert!(is_sandboxed(&[own]));
        let head = head(200, &[own]).unwrap();
        let policies = head.headers.get_all(header::CONTENT_SECURITY_POLICY);
        assert_eq!(policies.count(), 2);
    }

    #[test]
    fn an_unchanged_answer_changes_neither_type_nor_policy_of_the_remembered_one() {
        let lines = [
            ("content-type", "text/html"),
            ("content-security-policy", "img-src 'self'"),
            ("etag", "\"1\""),
            ("cache-control", "max-age=99"),
        ];
        let head = head(304, &lines).unwrap();
        let mut names: Vec<_> = head.headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["cache-control", "etag"]);
        assert_eq!(
            head.headers.get("cache-control").unwrap(),
            "private, max-age=9"
        );
    }

    #[test]
    fn what_is_no_single_answer_is_none() {
        for status in [0, 99, 100, 101, 199, 1000] {
            assert!(head(status, &[]).is_err(), "{status}");
        }
        for kind in [
            "multipart/x-mixed-replace; boundary=b",
            "image/png, Multipart/Mixed",
        ] {
            assert!(head(200, &[("content-type", kind)]).is_err(), "{kind}");
        }
    }
}
