//! Conditional requests: the headers that handlers read, and the `ETag` of their answers
//! (RFC 9110 §8.8.3 and §13).

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    dev::Payload,
    http::header::{
        CACHE_CONTROL, ETAG, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, TryIntoHeaderValue,
    },
};
use aide::{
    OperationInput, OperationOutput,
    generate::GenContext,
    openapi::{
        Header, HeaderStyle, Operation, Parameter, ParameterData, ParameterSchemaOrContent,
        ReferenceOr, Response, SchemaObject, StatusCode as DocumentedStatus,
    },
};
use indexmap::IndexMap;
use schemars::json_schema;
use slugline_application::{Precondition, SeenLink};
use slugline_contract::{KnownVersions, entity_tag, if_match, if_none_match};
use slugline_domain::{KeptAnswer, Link};
use slugline_httpkit::Failure;

use crate::reply::{Rendered, Reply};

/// The versions that a change is meant for.
pub(crate) struct IfMatch(pub(crate) Precondition);

/// The versions that the client has.
pub(crate) struct IfNoneMatch(pub(crate) KnownVersions);

impl FromRequest for IfMatch {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let read = if_match(lines(request, &IF_MATCH));
        std::future::ready(read.map(Self).map_err(Failure::from))
    }
}

impl FromRequest for IfNoneMatch {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let read = if_none_match(lines(request, &IF_NONE_MATCH));
        std::future::ready(read.map(Self).map_err(Failure::from))
    }
}

fn lines<'r>(request: &'r HttpRequest, name: &HeaderName) -> impl Iterator<Item = &'r [u8]> {
    request.headers().get_all(name).map(HeaderValue::as_bytes)
}

impl OperationInput for IfMatch {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        let description = "The ETag of the version that the request is meant for, several of \
                           them, or `*` for any. Refused with 412 when the link is another \
                           version, and then nothing is changed.";
        operation
            .parameters
            .push(header_parameter("If-Match", description));
    }
}

impl OperationInput for IfNoneMatch {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        let description = "The ETag of a version that the client has. Answered with 304 and no \
                           body while the link is that version.";
        operation
            .parameters
            .push(header_parameter("If-None-Match", description));
    }
}

fn text() -> ParameterSchemaOrContent {
    ParameterSchemaOrContent::Schema(SchemaObject {
        json_schema: json_schema!({"type": "string"}),
        external_docs: None,
        example: None,
    })
}

pub(crate) fn header_parameter(name: &str, description: &str) -> ReferenceOr<Parameter> {
    ReferenceOr::Item(Parameter::Header {
        parameter_data: ParameterData {
            name: name.into(),
            description: Some(description.into()),
            required: false,
            deprecated: None,
            format: text(),
            example: None,
            examples: IndexMap::default(),
            explode: None,
            extensions: IndexMap::default(),
        },
        style: HeaderStyle::Simple,
    })
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
        Self {
            tag: Some(entity_tag(link)),
            reply,
        }
    }

    /// Tags nothing: the answer shows no version that is stored.
    pub(crate) fn without(reply: R) -> Self {
        Self { tag: None, reply }
    }

    /// Tags an answer that shows as much of a link as the caller may see.
    pub(crate) fn seen(seen: &SeenLink, reply: R) -> Self {
        Self {
            tag: seen.whole().map(entity_tag),
            reply,
        }
    }
}

impl<R: Reply> Reply for Tagged<R> {}

impl<R: Reply> Responder for Tagged<R> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let mut response = self.reply.respond_to(request);
        if let Some(tag) = self.tag {
            let tag = tag.try_into_value();
            let tag = tag.expect("identifiers and numbers make a header");
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

impl<R: Rendered> Rendered for Tagged<R> {
    fn rendered(self) -> KeptAnswer {
        KeptAnswer {
            entity_tag: self.tag,
            ..self.reply.rendered()
        }
    }
}

impl<R: OperationOutput> OperationOutput for Tagged<R> {
    type Inner = R::Inner;

    fn inferred_responses(
        context: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let mut responses = R::inferred_responses(context, operation);
        for (_, response) in &mut responses {
            document_tag(response);
        }
        responses
    }
}

/// Names the header `ETag` in the documentation of an answer.
pub(crate) fn document_tag(response: &mut Response) {
    let header = document_header("The version of the link.");
    response
        .headers
        .insert("ETag".into(), ReferenceOr::Item(header));
}

/// A header of an answer that is a text.
pub(crate) fn document_header(description: &str) -> Header {
    Header {
        description: Some(description.into()),
        style: HeaderStyle::Simple,
        required: false,
        deprecated: None,
        format: text(),
        example: None,
        examples: IndexMap::default(),
        extensions: IndexMap::default(),
    }
}

/// A link, or 304 if the client has this version of it.
pub(crate) enum UnlessKnown<R> {
    Shown(Tagged<R>),
    Known(Tagged<NotModified>),
}

impl<R: Reply> Reply for UnlessKnown<R> {}

impl<R: Reply> Responder for UnlessKnown<R> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let mut response = match self {
            Self::Shown(link) => link.respond_to(request),
            Self::Known(tag) => tag.respond_to(request),
        };
        // A browser that caches the answer asks each time if it is still valid.
        let ask_again = HeaderValue::from_static("private, no-cache");
        response.headers_mut().insert(CACHE_CONTROL, ask_again);
        response
    }
}

impl<R: OperationOutput> OperationOutput for UnlessKnown<R> {
    type Inner = R::Inner;

    fn inferred_responses(
        context: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let mut responses = Tagged::<R>::inferred_responses(context, operation);
        responses.extend(Tagged::<NotModified>::inferred_responses(
            context, operation,
        ));
        responses
    }
}

/// An answer without a body: the client already has the current version.
pub(crate) struct NotModified;

impl Reply for NotModified {}

impl Responder for NotModified {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NotModified().finish()
    }
}

impl OperationOutput for NotModified {
    type Inner = ();

    fn inferred_responses(
        _: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let response = Response {
            description: "The client has this version already".into(),
            ..Response::default()
        };
        vec![(Some(DocumentedStatus::Code(304)), response)]
    }
}
