//! Divides the paths between hosts, where one is set aside for administration.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    dev::RequestHead,
    guard::fn_guard,
    http::header::{CACHE_CONTROL, LOCATION},
    web::{self, ServiceConfig},
};
use slugline_httpkit::{Code, Door, Edge, Problem};
use slugline_redirect::Redirects;

use crate::service_path::may_be_service_path;

/// Returns whether a request is for one of the service's own paths, and its host has it.
pub(crate) fn leads_to_service(edge: &Edge, head: &RequestHead) -> bool {
    let path = head.uri.path();
    may_be_service_path(path)
        && match edge.door(head) {
            Door::Everything | Door::Administration => true,
            Door::Links => is_on_every_host(path),
        }
}

/// Probes and proxies ask by any name, and the pages that visitors see need their style sheet.
fn is_on_every_host(path: &str) -> bool {
    path == "/_health" || path.starts_with("/_health/") || path == slugline_redirect::STYLE_PATH
}

/// Answers every other path of the host for administration, which follows no link.
pub(crate) fn configure(redirects: &Arc<Redirects>, config: &mut ServiceConfig) {
    let edge = Arc::clone(&redirects.edge);
    let administration = fn_guard(move |context| edge.door(context.head()) == Door::Administration);
    let redirects = Arc::clone(redirects);
    let answer = move |request: HttpRequest| {
        let response = no_link(&redirects, &request);
        async { response }
    };
    let scope = web::scope("").guard(administration);
    config.service(scope.default_service(web::to(answer)));
}

fn no_link(redirects: &Redirects, request: &HttpRequest) -> HttpResponse {
    let (path, query) = (request.path(), request.uri().query());
    let moved = match path {
        "/" => Some("_dashboard/".to_owned()),
        path => slugline_dashboard::moved(path, query),
    };
    if let Some(location) = moved {
        return HttpResponse::TemporaryRedirect()
            .insert_header((LOCATION, location))
            .insert_header((CACHE_CONTROL, "no-cache"))
            .finish();
    }
    let detail = "this host is for administration and follows no links; /_dashboard/ is here";
    redirects.refuse(&Problem::new(Code::RouteNotFound, detail), request)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use slugline_domain::Host;

    use super::*;

    fn leads(edge: &Edge, host: &str, path: &str) -> bool {
        let request = TestRequest::with_uri(path).insert_header(("host", host));
        leads_to_service(edge, request.to_http_request().head())
    }

    #[test]
    fn the_host_for_administration_alone_has_the_paths_of_the_service() {
        let admin = Host::parse("admin.example").unwrap();
        let mut edge = Edge::default();
        edge.admin_host = Some(admin);
        for path in [
            "/api/link/list",
            "/_dashboard/",
            "/_docs/openapi.json",
            "/api/mcp",
            "/_oauth/token",
            "/.well-known/oauth-authorization-server",
            "/_metrics",
            "/%61pi/link/list",
            "/_healthy",
        ] {
            for host in ["admin.example", "ADMIN.example:8443", "admin.example."] {
                assert!(leads(&edge, host, path), "{host} {path}");
            }
            for host in ["sl.example", "127.0.0.1:8080", "xadmin.example", ""] {
                assert!(!leads(&edge, host, path), "{host} {path}");
            }
            assert!(leads(&Edge::default(), "sl.example", path), "{path}");
        }
        for path in ["/_health", "/_health/ready", slugline_redirect::STYLE_PATH] {
            assert!(leads(&edge, "sl.example", path), "{path}");
        }
        assert!(!leads(&edge, "admin.example", "/docs"));
    }
}
