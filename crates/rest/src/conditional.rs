//! Conditional requests: the headers that handlers read, and the `ETag` of their answers
//! (RFC 9110 §8.8.3 and §13).

use std::future::{Ready, ready};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse,
    dev::Payload,
    http::header::{ETAG, HeaderValue, TryIntoHeaderValue},
};
use aide::{OperationInput, generate::GenContext, openapi::Operation};
use slugline_application::{Precondition, SeenLink};
use slugline_contract::{KnownVersions, entity_tag, idempotency_key, if_match, if_none_match};
use slugline_domain::{IdempotencyKey, Link};
use slugline_httpkit::Failure;

use crate::{
    openapi::{Responses, documented, header_parameter, tag_header},
    reply::Reply,
};

/// Makes types inputs that are read from a header, and document it.
macro_rules! from_header {
    ($($(#[$about:meta])* $input:ident($type:ty): $name:expr, $read:ident, $description:literal;)*) => {$(
        $(#[$about])*
        pub(crate) struct $input(pub(crate) $type);

        impl FromRequest for $input {
            type Error = Failure;
            type Future = Ready<Result<Self, Failure>>;

            fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
                let lines = request.headers().get_all($name).map(HeaderValue::as_bytes);
                ready($read(lines).map(Self).map_err(Failure::from))
            }
        }

        impl OperationInput for $input {
            fn operation_input(_: &mut GenContext, operation: &mut Operation) {
                operation.parameters.push(header_parameter($name, $description));
            }
        }
    )*};
}

from_header! {
    /// The versions that a change is meant for.
    IfMatch(Precondition): "If-Match", if_match,
        "The ETag of the version that the request is meant for, several of them, or `*` for any. \
         Refused with 412 when the link is another version, and then nothing is changed.";
    /// The versions that the client has.
    IfNoneMatch(KnownVersions): "If-None-Match", if_none_match,
        "The ETag of a version that the client has. Answered with 304 and no body while the link is \
         that version.";
    /// The key under which the client may send the request again.
    RequestKey(Option<IdempotencyKey>): "Idempotency-Key", idempotency_key,
        "Makes the request safe to send again: a text of at most 255 characters that is new with \
         each request, such as a UUID. A link that a request of the same token with the same key \
         made is answered as it is now, and no second one is made.";
}

/// An answer that shows a link, with the link's version in the header `ETag`.
pub(crate) struct Tagged<R> {
    /// `None` if the answer shows no stored version, or its slug alone.
    tag: Option<String>,
    reply: R,
}

impl<R> Tagged<R> {
    /// Tags an answer that shows this link.
    pub(crate) fn new(link: &Link, reply: R) -> Self {
        let tag = Some(entity_tag(link));
        Self { tag, reply }
    }

    /// Tags nothing: the answer shows no version that is stored.
    pub(crate) fn without(reply: R) -> Self {
        Self { tag: None, reply }
    }

    /// Tags an answer that shows as much of a link as the caller may see.
    pub(crate) fn seen(seen: &SeenLink, reply: R) -> Self {
        let tag = seen.whole().map(entity_tag);
        Self { tag, reply }
    }
}

impl<R: Reply> Reply for Tagged<R> {
    fn respond(self, request: &HttpRequest) -> HttpResponse {
        let mut response = self.reply.respond(request);
        if let Some(tag) = self.tag {
            let tag = tag.try_into_value();
            let tag = tag.expect("identifiers and numbers make a header");
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }

    fn documented(context: &mut GenContext) -> Responses {
        let mut responses = R::documented(context);
        for (_, response) in &mut responses {
            tag_header(response);
        }
        responses
    }
}

/// An answer without a body: the client already has the current version.
pub(crate) struct NotModified;

impl Reply for NotModified {
    fn respond(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NotModified().finish()
    }

    fn documented(_: &mut GenContext) -> Responses {
        documented(304, "The client has this version already", [])
    }
}
