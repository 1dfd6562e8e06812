//! The bodies of requests.

use std::io;

use actix_web::{
    HttpRequest,
    error::PayloadError,
    http::header::CONTENT_ENCODING,
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
