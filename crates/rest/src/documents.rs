//! `GET /_docs/openapi.json`: the reference for the API that is deployed.

use std::sync::Arc;

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, Responder, body::BoxBody, dev::Payload, http::Method,
    web,
};
use aide::{
    OperationInput, OperationOutput,
    generate::GenContext,
    openapi::{Operation, Response, StatusCode},
};
use serde_json::{Value, json};
use slugline_httpkit::{Edge, Failure};

use crate::{
    registrar::About,
    reply::{Reply, answered_as},
};

pub(crate) fn about() -> About {
    About {
        method: Method::GET,
        path: "/_docs/openapi.json",
        id: "document_get",
        tag: "Documents",
        summary: "OpenAPI document",
        description: "This document, with the instance's own address as its server.",
        fails: &[],
    }
}

pub(crate) async fn handle(document: Document) -> Result<Document, Failure> {
    Ok(document)
}

/// The document with the address under which this client reached it: tools that
/// read it need an absolute one.
pub(crate) struct Document(Value);

impl FromRequest for Document {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let document = request
            .app_data::<web::Data<Arc<Value>>>()
            .expect("the app is built with its document");
        let mut document = Value::clone(document);
        document["servers"] = json!([{"url": Edge::of(request).origin(request).as_str()}]);
        std::future::ready(Ok(Self(document)))
    }
}

impl OperationInput for Document {}

impl Reply for Document {}

impl Responder for Document {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok()
            .insert_header(("x-robots-tag", "noindex, follow"))
            .json(self.0)
    }
}

impl OperationOutput for Document {
    type Inner = Value;

    fn inferred_responses(
        _: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<StatusCode>, Response)> {
        answered_as("application/json", "The OpenAPI document")
    }
}
