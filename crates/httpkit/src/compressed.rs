//! Answers of the API, compressed for clients that take it.

use actix_http::encoding::Encoder;
use actix_web::{
    HttpResponse,
    body::{BodySize, BoxBody, MessageBody},
    dev::ServiceResponse,
    http::header::{
        CACHE_CONTROL, CONTENT_TYPE, ContentEncoding, ETAG, HeaderName, HeaderValue, VARY,
    },
};

use crate::takes_gzip;

/// Shorter ones would hardly shrink.
const LEAST: u64 = 512;

/// Compresses an answer while it is sent, if the client takes that.
///
/// Event streams are sent as they are, because an event must not wait for the next one, and so are
/// answers that forbid a transformation: the size of a compressed secret would tell something of it.
pub(crate) fn compressed(mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if !may_be_compressed(response.response()) {
        return response;
    }
    let takes = takes_gzip(response.request());
    let headers = response.headers_mut();
    if !takes {
        headers.append(VARY, HeaderValue::from_static("accept-encoding"));
        return response;
    }
    // A strong validator is one of the very bytes (RFC 9110, section 8.8.1).
    if let Some(strong) = headers
        .get(ETAG)
        .filter(|tag| tag.as_bytes().starts_with(b"\""))
    {
        let weak = HeaderValue::from_bytes(&[&b"W/"[..], strong.as_bytes()].concat());
        headers.insert(ETAG, weak.expect("it is a header with two letters more"));
    }
    let gzip = |head: &mut _, body| Encoder::response(ContentEncoding::Gzip, head, body);
    response.map_body(gzip).map_into_boxed_body()
}

fn may_be_compressed(response: &HttpResponse) -> bool {
    let has = |name: HeaderName, words: &[&str]| {
        let value = response
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok());
        value.is_some_and(|value| words.iter().any(|word| value.contains(word)))
    };
    let is_long = match response.body().size() {
        BodySize::None => false,
        BodySize::Sized(bytes) => bytes >= LEAST,
        BodySize::Stream => true,
    };
    let kinds = ["application/json", "application/x-ndjson", "text/csv"];
    is_long && has(CONTENT_TYPE, &kinds) && !has(CACHE_CONTROL, &["no-transform"])
}
