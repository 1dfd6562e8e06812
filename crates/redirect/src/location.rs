//! The header `Location`.

use actix_web::http::header::HeaderValue;
use slugline_domain::Uri;

/// The header that sends a visitor to this address.
pub(crate) fn location(target: &Uri<'_>) -> HeaderValue {
    HeaderValue::from_str(target.as_str()).expect("a URI is visible ASCII")
}
