//! `GET /_docs/scalar` and `GET /_docs/swagger`: the OpenAPI document for
//! people. Everything that the pages need is in the binary.

use std::{
    fmt::Write as _,
    sync::{Arc, LazyLock},
};

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::{
        Method,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY},
    },
    web::Bytes,
};
use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{Operation, Response, StatusCode},
    scalar::Scalar,
    swagger::Swagger,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};
use slugline_httpkit::Failure;

use crate::{
    registrar::About,
    reply::{Reply, answered_as},
};

const DOCUMENT_PATH: &str = "/_docs/openapi.json";

pub(crate) fn scalar_about() -> About {
    About {
        method: Method::GET,
        path: "/_docs/scalar",
        id: "document_scalar",
        tag: "Documents",
        summary: "API reference",
        description: "The API reference, as a page of Scalar.",
        fails: &[],
    }
}

pub(crate) async fn scalar() -> Result<Page, Failure> {
    static PAGE: LazyLock<Page> = LazyLock::new(|| {
        let scalar = Scalar::new(DOCUMENT_PATH).with_title("Slugline API");
        Page::new(scalar.html().replacen("</head>", SYSTEM_FONTS, 1))
    });
    Ok(PAGE.clone())
}

/// Scalar's own fonts would come from elsewhere; without them it falls back to
/// a serif one.
const SYSTEM_FONTS: &str = "<style>:root, body { \
    --scalar-font: system-ui, sans-serif !important; \
    --scalar-font-code: ui-monospace, monospace !important; }</style></head>";

pub(crate) fn swagger_about() -> About {
    About {
        method: Method::GET,
        path: "/_docs/swagger",
        id: "document_swagger",
        tag: "Documents",
        summary: "API console",
        description: "The API to try out, as a page of Swagger UI.",
        fails: &[],
    }
}

pub(crate) async fn swagger() -> Result<Page, Failure> {
    static PAGE: LazyLock<Page> = LazyLock::new(|| {
        let swagger = Swagger::new(DOCUMENT_PATH).with_title("Slugline API");
        Page::new(swagger.html())
    });
    Ok(PAGE.clone())
}

/// A page that may run its own scripts, no others, and talk to nobody but the
/// instance: people type the site token into it.
#[derive(Clone)]
pub(crate) struct Page {
    html: Bytes,
    policy: Arc<str>,
}

impl Page {
    fn new(html: String) -> Self {
        let mut policy = String::from(
            "default-src 'none'; connect-src 'self'; img-src 'self' data:; font-src data:; \
             style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'; script-src",
        );
        for script in inline_scripts(&html) {
            let hash = STANDARD.encode(Sha256::digest(script));
            write!(policy, " 'sha256-{hash}'").expect("strings take what is written");
        }
        Self {
            html: html.into(),
            policy: policy.into(),
        }
    }
}

/// What stands between `<script …>` and `</script>`, as the Content Security
/// Policy hashes it (CSP level 3 section 6.7.3.3).
fn inline_scripts(html: &str) -> impl Iterator<Item = &str> {
    let mut rest = html;
    std::iter::from_fn(move || {
        let (_, opened) = rest.split_once("<script")?;
        let (_, body) = opened.split_once('>')?;
        let (script, after) = body.split_once("</script>")?;
        rest = after;
        Some(script)
    })
    .filter(|script| !script.is_empty())
}

impl Reply for Page {}

impl Responder for Page {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok()
            .content_type("text/html; charset=utf-8")
            .insert_header((CONTENT_SECURITY_POLICY, &*self.policy))
            .insert_header((CACHE_CONTROL, "max-age=3600"))
            .insert_header(("x-robots-tag", "noindex, follow"))
            .insert_header(("x-content-type-options", "nosniff"))
            .insert_header(("referrer-policy", "no-referrer"))
            .body(self.html)
    }
}

impl OperationOutput for Page {
    type Inner = String;

    fn inferred_responses(
        _: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<StatusCode>, Response)> {
        answered_as("text/html", "A page")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_found_as_a_browser_finds_them() {
        let html = "<p><script id=a></script><script>one()</script><script type=b>\n2\n</script>";
        let scripts: Vec<&str> = inline_scripts(html).collect();
        assert_eq!(scripts, ["one()", "\n2\n"]);
    }
}
