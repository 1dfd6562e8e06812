//! A file as HTTP.

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::header::{
        CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, IF_NONE_MATCH, LINK, VARY,
    },
};
use slugline_httpkit::{header, takes_gzip};

use crate::{
    packed::{self, Packed},
    words,
};

/// The policy of the page: it runs only its own scripts, connects only to its own server,
/// and parses no text as HTML. A preview image has a stranger's address, so `img-src`
/// keeps it from being loaded.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; \
                      form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// Answers with the page. Browsers ask for it again each time, because it names the
/// files' folder. It also names the words, so that a browser fetches them together with
/// the modules.
pub(crate) fn page(request: &HttpRequest, page: Packed) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    answer
        .content_type("text/html; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header(("cross-origin-opener-policy", "same-origin"))
        .insert_header(("x-robots-tag", "noindex, nofollow"));
    if let Some(words) = words::preferred(request) {
        let link = format!("<./{}/{words}>; rel=modulepreload", packed::FOLDER);
        answer.insert_header((LINK, link));
    }
    answer.append_header((VARY, "accept-language"));
    finish(answer, request, page)
}

/// Answers with a file below the folder whose name changes with its content. Browsers
/// keep it for good.
pub(crate) fn file(request: &HttpRequest, path: &str, file: Packed) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    answer
        .content_type(media_type(path))
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"));
    finish(answer, request, file)
}

fn finish(mut answer: HttpResponseBuilder, request: &HttpRequest, file: Packed) -> HttpResponse {
    answer
        .insert_header((ETAG, file.tag))
        .append_header((VARY, "accept-encoding"))
        .insert_header(("x-content-type-options", "nosniff"))
        .insert_header(("referrer-policy", "no-referrer"));
    if is_known(request, file.tag) {
        return answer
            .status(actix_web::http::StatusCode::NOT_MODIFIED)
            .finish();
    }
    if takes_gzip(request) {
        answer.insert_header((CONTENT_ENCODING, "gzip"));
        return answer.body(file.gzip);
    }
    answer.body(file.plain)
}

/// Weak and strong validators count as equal here (RFC 9110 §13.1.2): a proxy that
/// compresses makes ours weak.
fn is_known(request: &HttpRequest, tag: &str) -> bool {
    let known = header(request, &IF_NONE_MATCH).unwrap_or_default();
    known
        .split(',')
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == tag || known == "*")
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{body::MessageBody, http::StatusCode, test::TestRequest};

    use super::*;

    fn links() -> Packed {
        packed::page("links").unwrap()
    }

    fn asked(headers: &[(&'static str, &str)]) -> HttpResponse {
        let request = headers.iter().fold(TestRequest::get(), |request, header| {
            request.insert_header(*header)
        });
        page(&request.to_http_request(), links())
    }

    fn length(answer: HttpResponse) -> usize {
        answer.into_body().try_into_bytes().unwrap().len()
    }

    #[test]
    fn compression_is_used_when_the_client_takes_it() {
        for takes in ["gzip", "br, GZIP;q=0.5", "*"] {
            let answer = asked(&[("accept-encoding", takes)]);
            assert_eq!(answer.headers().get("content-encoding").unwrap(), "gzip");
            assert_eq!(length(answer), links().gzip.len(), "{takes}");
        }
        for refuses in ["", "br", "gzip;q=0", "identity"] {
            let answer = asked(&[("accept-encoding", refuses)]);
            assert!(!answer.headers().contains_key("content-encoding"));
            assert_eq!(length(answer), links().plain.len(), "{refuses}");
        }
    }

    #[test]
    fn who_has_the_page_is_told_that_it_is_the_same() {
        let weak = format!("W/{}", links().tag);
        for known in [links().tag, &weak, &format!("\"old\", {weak}"), "*"] {
            let answer = asked(&[("if-none-match", known)]);
            assert_eq!(answer.status(), StatusCode::NOT_MODIFIED, "{known}");
            assert_eq!(length(answer), 0);
        }
        assert_eq!(
            asked(&[("if-none-match", "\"old\"")]).status(),
            StatusCode::OK
        );
    }

    #[test]
    fn the_policy_lets_no_other_script_run_and_nobody_else_be_asked() {
        let answer = asked(&[]);
        let policy = answer.headers().get(CONTENT_SECURITY_POLICY).unwrap();
        let policy = policy.to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"));
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("require-trusted-types-for 'script'; trusted-types 'none'"));
    }
}
