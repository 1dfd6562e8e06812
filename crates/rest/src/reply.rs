//! The answers of handlers.

use std::{future::Future, pin::Pin};

use actix_web::{
    Handler, HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, HeaderName, HeaderValue},
    },
};
use aide::generate::GenContext;
use schemars::JsonSchema;
use serde::Serialize;
use slugline_contract::Note;
use slugline_httpkit::Failure;

use crate::openapi::{Responses, documented, json};

/// A successful answer. Its type states its status and its body.
pub trait Reply: 'static {
    /// Makes the response.
    fn respond(self, request: &HttpRequest) -> HttpResponse;

    /// Documents the response.
    fn documented(context: &mut GenContext) -> Responses;
}

/// A handler whose answers actix sends.
#[derive(Clone)]
pub(crate) struct Answering<F>(pub(crate) F);

/// An answer that actix sends.
pub(crate) struct Answer<R>(R);

impl<F, Args, R> Handler<Args> for Answering<F>
where
    F: Handler<Args, Output = Result<R, Failure>>,
    Args: 'static,
    R: Reply,
{
    type Output = Result<Answer<R>, Failure>;
    type Future = Pin<Box<dyn Future<Output = Self::Output>>>;

    fn call(&self, args: Args) -> Self::Future {
        let answer = self.0.call(args);
        Box::pin(async move { answer.await.map(Answer) })
    }
}

impl<R: Reply> Responder for Answer<R> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        self.0.respond(request)
    }
}

/// A JSON answer with this status. Its schema stands in the document.
#[derive(Debug)]
pub struct Json<const STATUS: u16, T>(pub T);

/// An answer without a body, of status 204.
#[derive(Debug)]
pub struct NoContent;

impl<const STATUS: u16, T: Serialize + JsonSchema + 'static> Reply for Json<STATUS, T> {
    fn respond(self, _: &HttpRequest) -> HttpResponse {
        let status = StatusCode::from_u16(STATUS).expect("replies name real statuses");
        HttpResponse::build(status).json(self.0)
    }

    fn documented(context: &mut GenContext) -> Responses {
        let schema = json(context.schema.subschema_for::<T>());
        documented(STATUS, "Success", [("application/json", schema)])
    }
}

impl Reply for NoContent {
    fn respond(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NoContent().finish()
    }

    fn documented(_: &mut GenContext) -> Responses {
        documented(204, "Done", [])
    }
}

/// One of two answers, which have different statuses.
pub(crate) enum Either<A, B> {
    Left(A),
    Right(B),
}

impl<A: Reply, B: Reply> Reply for Either<A, B> {
    fn respond(self, request: &HttpRequest) -> HttpResponse {
        match self {
            Self::Left(answer) => answer.respond(request),
            Self::Right(answer) => answer.respond(request),
        }
    }

    fn documented(context: &mut GenContext) -> Responses {
        let mut responses = A::documented(context);
        responses.extend(B::documented(context));
        responses
    }
}

/// An answer with one more header, unless that has no value.
pub(crate) struct Headed<R>(HeaderName, Option<&'static str>, R);

impl<R> Headed<R> {
    /// No cache may keep the answer.
    pub(crate) fn never_cached(answer: R) -> Self {
        Self(CACHE_CONTROL, Some("no-store"), answer)
    }

    /// No cache may keep the answer, and nobody may compress it: it tells a secret.
    pub(crate) fn secret(answer: R) -> Self {
        Self(CACHE_CONTROL, Some("no-store, no-transform"), answer)
    }

    /// A browser that caches the answer asks each time if it is still valid.
    pub(crate) fn cached_asking_again(answer: R) -> Self {
        Self(CACHE_CONTROL, Some("private, no-cache"), answer)
    }

    /// The body has no place for the note.
    pub(crate) fn noted(note: Note, answer: R) -> Self {
        Self(HeaderName::from_static("slugline-note"), note, answer)
    }
}

impl<R: Reply> Reply for Headed<R> {
    fn respond(self, request: &HttpRequest) -> HttpResponse {
        let Self(name, value, answer) = self;
        let mut response = answer.respond(request);
        if let Some(value) = value {
            let value = HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        response
    }

    fn documented(context: &mut GenContext) -> Responses {
        R::documented(context)
    }
}
