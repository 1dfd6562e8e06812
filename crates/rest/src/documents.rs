//! `GET /_docs/openapi.json`: the reference for the API that is deployed.

use std::sync::{Arc, OnceLock};

use actix_web::{HttpRequest, HttpResponse, http::header::CACHE_CONTROL, web::Bytes};
use aide::{generate::GenContext, openapi::MediaType};
use serde_json::json;
use slugline_application::Access;
use slugline_httpkit::{Failure, Guard};

use crate::{
    input::from_head,
    openapi::{Responses, documented},
    operation::operations,
    registrar::Api,
    reply::Reply,
    streamed::Slices,
};

operations! { "Documents";
    document_get: GET "/_docs/openapi.json" => document, Access::OPEN, [],
        "OpenAPI document",
        "This document, with the instance's own address as its server.";
}

async fn document(document: Document) -> Result<Document, Failure> {
    Ok(document)
}

/// The document as it is served. The first client that asks has it made, for all clients.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    api: Arc<Api>,
    /// All members but `servers`, without the brace that opens the object.
    members: Arc<OnceLock<Bytes>>,
}

impl Served {
    pub(crate) fn new(api: Arc<Api>) -> Self {
        Self {
            api,
            members: Arc::default(),
        }
    }

    fn at(&self, base: &str) -> Slices {
        let members = self.members.get_or_init(|| {
            let document = self.api.document();
            let mut text = serde_json::to_vec(&document).expect("a document is plain data");
            text.remove(0);
            text.into()
        });
        let servers = json!([{ "url": base }]);
        let start = format!("{{\"servers\":{servers},");
        Slices::of([start.into(), members.clone()])
    }
}

/// The document with the address under which this client reached it: tools that read the
/// document need an absolute address.
pub(crate) struct Document {
    text: Slices,
    is_for_everybody: bool,
}

from_head! {
    Document: |request| {
        let served = request
            .app_data::<Served>()
            .expect("the app is built with its document");
        let guard = Guard::of(request);
        Self {
            text: served.at(guard.api_base_url(request).as_str()),
            is_for_everybody: guard.configured_base_url.is_some(),
        }
    };
}

impl Reply for Document {
    fn respond(self, _: &HttpRequest) -> HttpResponse {
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

    fn documented(_: &mut GenContext) -> Responses {
        let content = [("application/json", MediaType::default())];
        documented(200, "The OpenAPI document", content)
    }
}
