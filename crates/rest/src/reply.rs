//! The answers of handlers.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, HeaderValue},
    },
};
use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{MediaType, Operation, Response, StatusCode as DocumentedStatus},
};
use schemars::{JsonSchema, json_schema};
use serde::Serialize;

use slugline_domain::KeptAnswer;

use crate::{extract::json, table::Table};

/// A successful answer. Its type states its status and its body.
pub trait Reply: Responder<Body = BoxBody> + 'static {}

/// An answer that can be kept, to be given again.
pub(crate) trait Rendered {
    /// The answer as it is kept.
    fn rendered(self) -> KeptAnswer;
}

/// Documents an answer of status 200 whose body has this media type and no
/// schema.
pub(crate) fn answered_as(
    media_type: &str,
    description: &str,
) -> Vec<(Option<DocumentedStatus>, Response)> {
    let mut response = Response {
        description: description.into(),
        ..Response::default()
    };
    response
        .content
        .insert(media_type.into(), MediaType::default());
    vec![(Some(DocumentedStatus::Code(200)), response)]
}

/// A JSON answer with this status. Its schema stands in the document.
#[derive(Debug)]
pub struct Json<const STATUS: u16, T>(pub T);

/// An answer without a body, of status 204.
#[derive(Debug)]
pub struct NoContent;

impl<const STATUS: u16, T: Serialize + 'static> Reply for Json<STATUS, T> {}

impl<const STATUS: u16, T: Serialize> Responder for Json<STATUS, T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let status = StatusCode::from_u16(STATUS).expect("replies name real statuses");
        HttpResponse::build(status).json(self.0)
    }
}

impl<const STATUS: u16, T: Serialize> Rendered for Json<STATUS, T> {
    fn rendered(self) -> KeptAnswer {
        KeptAnswer {
            status: STATUS,
            entity_tag: None,
            body: serde_json::to_string(&self.0).expect("answers are plain data"),
        }
    }
}

impl<const STATUS: u16, T: JsonSchema> OperationOutput for Json<STATUS, T> {
    type Inner = T;

    fn inferred_responses(
        context: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let mut response = Response {
            description: "Success".into(),
            ..Response::default()
        };
        let schema = context.schema.subschema_for::<T>();
        response
            .content
            .insert("application/json".into(), json(schema));
        vec![(Some(DocumentedStatus::Code(STATUS)), response)]
    }
}

/// One of two answers, which have different statuses.
pub(crate) enum Either<A, B> {
    Left(A),
    Right(B),
}

impl<A: Reply, B: Reply> Reply for Either<A, B> {}

impl<A: Reply, B: Reply> Responder for Either<A, B> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        match self {
            Self::Left(answer) => answer.respond_to(request),
            Self::Right(answer) => answer.respond_to(request),
        }
    }
}

impl<A: Rendered, B: Rendered> Rendered for Either<A, B> {
    fn rendered(self) -> KeptAnswer {
        match self {
            Self::Left(answer) => answer.rendered(),
            Self::Right(answer) => answer.rendered(),
        }
    }
}

impl<A: OperationOutput, B: OperationOutput> OperationOutput for Either<A, B> {
    type Inner = A::Inner;

    fn inferred_responses(
        context: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let mut responses = A::inferred_responses(context, operation);
        responses.extend(B::inferred_responses(context, operation));
        responses
    }
}

/// A page as JSON, or a table of all rows.
pub(crate) enum PageOrTable<T> {
    Page(T),
    Table(Table),
}

impl<T: Serialize + 'static> Reply for PageOrTable<T> {}

impl<T: Serialize> Responder for PageOrTable<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        match self {
            Self::Page(body) => Json::<200, T>(body).respond_to(request),
            Self::Table(table) => table.into_response(),
        }
    }
}

impl<T: JsonSchema> OperationOutput for PageOrTable<T> {
    type Inner = T;

    fn inferred_responses(
        context: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let mut responses = Json::<200, T>::inferred_responses(context, operation);
        for (_, response) in &mut responses {
            response.content.insert("text/csv".into(), csv());
        }
        responses
    }
}

/// A table. No schema describes its cells.
pub(crate) fn csv() -> MediaType {
    json(json_schema!({"type": "string"}))
}

/// An answer that no cache may keep.
pub(crate) struct NoStore<R>(pub(crate) R);

impl<R: Reply> Reply for NoStore<R> {}

impl<R: Reply> Responder for NoStore<R> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let mut response = self.0.respond_to(request);
        let no_store = HeaderValue::from_static("no-store");
        response.headers_mut().insert(CACHE_CONTROL, no_store);
        response
    }
}

/// No kept answer may be cached.
impl<R: Rendered> Rendered for NoStore<R> {
    fn rendered(self) -> KeptAnswer {
        self.0.rendered()
    }
}

impl<R: OperationOutput> OperationOutput for NoStore<R> {
    type Inner = R::Inner;

    fn inferred_responses(
        context: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        R::inferred_responses(context, operation)
    }
}

impl Reply for NoContent {}

impl Responder for NoContent {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NoContent().finish()
    }
}

impl OperationOutput for NoContent {
    type Inner = ();

    fn inferred_responses(
        _: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let response = Response {
            description: "Done".into(),
            ..Response::default()
        };
        vec![(Some(DocumentedStatus::Code(204)), response)]
    }
}
