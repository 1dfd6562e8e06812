//! The bodies of requests.

use std::io;

use actix_web::{
    HttpRequest, HttpResponse,
    error::PayloadError,
    http::{
        StatusCode,
        header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue},
    },
    web::{Bytes, Payload},
};
use slugline_domain::text::without_byte_order_mark;
use slugline_problem::{Code, Problem};

use crate::header::{elements, text};

/// Reads the body of a request. A byte order mark before it is no content.
///
/// # Errors
/// The body has more than `most` bytes, is in a content coding, comes too slowly or breaks off.
pub async fn read_body(
    request: &HttpRequest,
    body: Payload,
    most: usize,
) -> Result<Bytes, Problem> {
    let mut codings = elements(request, &CONTENT_ENCODING);
    if let Some(coding) = codings.find(|coding| !coding.eq_ignore_ascii_case(b"identity")) {
        let detail = format!(
            "the body is in the content coding {:?}; send it without Content-Encoding",
            text(coding)
        );
        return Err(Problem::new(Code::ContentCodingNotRead, detail));
    }
    let read = body.to_bytes_limited(most).await.map_err(|_| {
        let detail = format!("send at most {most} bytes, or the work in several parts");
        Problem::new(Code::BodyTooLarge, detail)
    })?;
    let bytes = read.map_err(|error| unreadable(&error))?;
    Ok(bytes.slice_ref(without_byte_order_mark(&bytes)))
}

/// Names the content codings that are read in an answer to a body in another one (RFC 9110 §12.5.3).
pub fn tell_codings(request: &HttpRequest, answer: &mut HttpResponse) {
    let is_coded = request.headers().contains_key(CONTENT_ENCODING);
    if is_coded && answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        let codings = HeaderValue::from_static("identity");
        answer.headers_mut().insert(ACCEPT_ENCODING, codings);
    }
}

fn unreadable(error: &actix_web::Error) -> Problem {
    match error.as_error() {
        Some(PayloadError::Io(source)) if source.kind() == io::ErrorKind::TimedOut => Problem::new(
            Code::RequestTimeout,
            "the body came too slowly; send it without long pauses, at 1 KiB a second or more",
        ),
        _ => Problem::new(
            Code::InvalidJson,
            format!("the body cannot be read: {error}"),
        ),
    }
}
