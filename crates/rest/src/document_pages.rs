//! `GET /_docs/swagger`: the OpenAPI document for people. Everything that the page needs is in the
//! binary. `/_docs/scalar`, which Sink has too, shows the same page: a second viewer is 0.8 MB.

use std::{
    convert::Infallible,
    fmt::Write as _,
    io::Read,
    pin::Pin,
    sync::LazyLock,
    task::{Context, Poll},
};

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BodySize, MessageBody},
    http::header::{
        CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, IF_NONE_MATCH, VARY,
    },
    web::Bytes,
};
use aide::{generate::GenContext, openapi::MediaType};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use slugline_application::Access;
use slugline_httpkit::{Failure, header, takes_gzip};

use crate::{
    openapi::{Responses, documented},
    operation::operations,
    reply::Reply,
    streamed::{SLICE, Slices},
};

operations! { "Documents";
    document_scalar: GET "/_docs/scalar" => swagger, Access::OPEN, [],
        "API reference",
        "The same page, at an address that Sink has.";
    document_swagger: GET "/_docs/swagger" => swagger, Access::OPEN, [],
        "API console",
        "The API to try out, as a page of Swagger UI.";
}

async fn swagger() -> Result<&'static Page, Failure> {
    static PAGE: LazyLock<Page> =
        LazyLock::new(|| Page::new(include_bytes!(concat!(env!("OUT_DIR"), "/swagger.html.gz"))));
    Ok(&PAGE)
}

/// A page that may run only its own scripts and connect only to the instance, because
/// people type the site token into it.
///
/// The build script packs it with gzip: it is 1.6 MB, and 0.4 MB packed.
pub(crate) struct Page {
    packed: &'static [u8],
    policy: String,
    tag: String,
}

impl Page {
    fn new(packed: &'static [u8]) -> Self {
        let mut html = String::new();
        let unpacked = GzDecoder::new(packed).read_to_string(&mut html);
        unpacked.expect("the build script packed it");
        let mut policy = String::from(
            "default-src 'none'; connect-src 'self'; img-src 'self' data:; font-src data:; \
             style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'; script-src",
        );
        for script in inline_scripts(&html) {
            let hash = STANDARD.encode(Sha256::digest(script));
            write!(policy, " 'sha256-{hash}'").expect("strings take what is written");
        }
        // Weak, because one tag stands for the page packed and unpacked.
        let tag = format!("W/\"{}\"", STANDARD.encode(Sha256::digest(packed)));
        Self {
            packed,
            policy,
            tag,
        }
    }
}

/// The text between `<script …>` and `</script>`, which the Content Security Policy
/// hashes (CSP level 3 section 6.7.3.3).
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

impl Reply for &'static Page {
    fn respond(self, request: &HttpRequest) -> HttpResponse {
        let mut response = HttpResponse::Ok();
        response
            .content_type("text/html; charset=utf-8")
            .insert_header((CONTENT_SECURITY_POLICY, self.policy.as_str()))
            .insert_header((CACHE_CONTROL, "max-age=3600"))
            .insert_header((ETAG, self.tag.as_str()))
            .insert_header((VARY, "accept-encoding"))
            .insert_header(("x-robots-tag", "noindex, follow"))
            .insert_header(("x-content-type-options", "nosniff"))
            .insert_header(("referrer-policy", "no-referrer"));
        let known = header(request, IF_NONE_MATCH).unwrap_or_default();
        if known.contains(&self.tag) {
            return response
                .status(actix_web::http::StatusCode::NOT_MODIFIED)
                .finish();
        }
        if takes_gzip(request) {
            response.insert_header((CONTENT_ENCODING, "gzip"));
            let packed = Bytes::from_static(self.packed);
            return response.body(Slices::of([packed, Bytes::new()]));
        }
        response.body(Unpacked::new(self.packed))
    }

    fn documented(_: &mut GenContext) -> Responses {
        documented(200, "A page", [("text/html", MediaType::default())])
    }
}

/// A packed page, unpacked while it is sent.
struct Unpacked {
    unpacking: GzDecoder<&'static [u8]>,
    bytes: u64,
}

impl Unpacked {
    fn new(packed: &'static [u8]) -> Self {
        // A gzip file ends with the size of the unpacked data (RFC 1952 section 2.3).
        let size = packed.last_chunk().expect("it is a gzip file");
        Self {
            unpacking: GzDecoder::new(packed),
            bytes: u32::from_le_bytes(*size).into(),
        }
    }
}

impl MessageBody for Unpacked {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.bytes)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let mut slice = vec![0; SLICE];
        let read = self.unpacking.read(&mut slice);
        slice.truncate(read.expect("it was unpacked before"));
        Poll::Ready((!slice.is_empty()).then(|| Ok(slice.into())))
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

    #[test]
    fn a_page_is_the_same_packed_and_unpacked_and_known_by_its_tag() {
        use actix_web::{
            body::to_bytes,
            http::{StatusCode, header::ACCEPT_ENCODING},
            rt::System,
            test::TestRequest,
        };

        System::new().block_on(async {
            let page = swagger()
                .await
                .unwrap_or_else(|_| unreachable!("it is there"));
            let ask = |name, value: &str| {
                let request = TestRequest::default().insert_header((name, value));
                page.respond(&request.to_http_request())
            };
            let packed = ask(ACCEPT_ENCODING, "gzip, br");
            assert_eq!(packed.headers().get(CONTENT_ENCODING).unwrap(), "gzip");
            let packed = to_bytes(packed.into_body()).await.unwrap();
            let mut unpacked = String::new();
            GzDecoder::new(&packed[..])
                .read_to_string(&mut unpacked)
                .unwrap();

            let plain = ask(ACCEPT_ENCODING, "br");
            assert!(!plain.headers().contains_key(CONTENT_ENCODING));
            assert_eq!(plain.headers().get(VARY).unwrap(), "accept-encoding");
            let tag = plain
                .headers()
                .get(ETAG)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            let size = plain.body().size();
            assert_eq!(size, BodySize::Sized(unpacked.len().try_into().unwrap()));
            assert_eq!(to_bytes(plain.into_body()).await.unwrap(), unpacked);
            assert!(unpacked.contains("/_docs/openapi.json"));

            let known = ask(IF_NONE_MATCH, &format!("W/\"other\", {tag}"));
            assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
            assert_eq!(ask(IF_NONE_MATCH, "W/\"other\"").status(), StatusCode::OK);
        });
    }
}
