//! Addresses that people guess, and the pages to which they lead. No link can have them: slugs of
//! paths that begin with `_` are the service's own.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse, Resource,
    http::header::{CACHE_CONTROL, LOCATION},
    web::{self, ServiceConfig},
};
use slugline_httpkit::{Edge, public};

/// The first segment, and the page below it.
const PAGES: [(&str, &str); 2] = [("_docs", "scalar"), ("_health", "ready")];

/// Mounts the addresses. They are not documented, because programs have the right ones.
pub(crate) fn configure(edge: &Arc<Edge>, config: &mut ServiceConfig) {
    for (folder, page) in PAGES {
        let lead = web::get().to(async move |request: HttpRequest| lead_on(&request, folder, page));
        let paths = [format!("/{folder}"), format!("/{folder}/")];
        config.service(public(Resource::new(paths).route(lead), edge));
    }
}

/// Relative, because a reverse proxy may have stripped a prefix.
fn lead_on(request: &HttpRequest, folder: &str, page: &str) -> HttpResponse {
    let to = if request.path().ends_with('/') {
        page.to_owned()
    } else {
        format!("{folder}/{page}")
    };
    HttpResponse::TemporaryRedirect()
        .insert_header((LOCATION, to))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .finish()
}
