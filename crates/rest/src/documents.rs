//! `GET /_docs/openapi.json`: the reference for the API that is deployed.

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    dev::Payload,
    http::{Method, header::CACHE_CONTROL},
    web::Bytes,
};
use aide::{
    OperationInput, OperationOutput,
    generate::GenContext,
    openapi::{Operation, Response, StatusCode},
};
use serde_json::{Value, json};
use slugline_application::Access;
use slugline_httpkit::{Failure, Guard};

use crate::{
    operation_spec::OperationSpec,
    reply::{Reply, answered_as},
    slices::Slices,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/_docs/openapi.json",
        id: "document_get",
        tag: "Documents",
        summary: "OpenAPI document",
        description: "This document, with the instance's own address as its server.",
        needs: Access::OPEN,
        fails: &[],
    }
}

pub(crate) async fn handle(document: Document) -> Result<Document, Failure> {
    Ok(document)
}

/// The document as it is served, serialized once for all clients.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    /// All members but `servers`, without the brace that opens the object.
    members: Bytes,
}

impl Served {
    pub(crate) fn new(document: &Value) -> Self {
        let mut text = serde_json::to_vec(document).expect("a document is plain data");
        assert!(document.is_object() && text.len() > 2, "it has members");
        text.remove(0);
        Self {
            members: text.into(),
        }
    }

    fn for_origin(&self, origin: &str) -> Slices {
        let servers = json!([{ "url": origin }]);
        let start = format!("{{\"servers\":{servers},");
        Slices::of([start.into(), self.members.clone()])
    }
}

/// The document with the address under which this client reached it: tools that read the
/// document need an absolute address.
pub(crate) struct Document {
    text: Slices,
    is_for_everybody: bool,
}

impl FromRequest for Document {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let served = request
            .app_data::<Served>()
            .expect("the app is built with its document");
        let guard = Guard::of(request);
        std::future::ready(Ok(Self {
            text: served.for_origin(guard.api_origin(request).as_str()),
            is_for_everybody: guard.configured_origin().is_some(),
        }))
    }
}

impl OperationInput for Document {}

impl Reply for Document {}

impl Responder for Document {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let mut response = HttpResponse::Ok();
        response
            .content_type("application/json")
            .insert_header(("x-robots-tag", "noindex, follow"));
        if !self.is_for_everybody {
            // This client, or a proxy, chose the address. A cache would show it to other
            // clients.
            response.insert_header((CACHE_CONTROL, "no-store"));
        }
        response.body(self.text)
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
