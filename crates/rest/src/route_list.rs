//! The declared routes, mounted.

use std::{collections::BTreeSet, sync::Arc};

use actix_web::{
    HttpRequest, HttpResponse, Resource,
    http::{
        Method,
        header::{CACHE_CONTROL, LOCATION},
    },
    web::{self, Data, ServiceConfig},
};
use serde_json::Value;
use slugline_httpkit::{Guard, guarded, public};

use crate::{
    documents::Served,
    input::RestState,
    operation::{Operation, needs_token},
    registrar::Api,
};

/// The most bytes of a request body: enough for a link with a destination for every
/// country.
pub const BODY_LIMIT: usize = 1 << 20;

/// First segments that people guess, and the page below each. No link can have them: slugs of paths
/// that begin with `_` are the service's own. They are not documented, because programs have the
/// right addresses.
const GUESSED: [(&str, &str); 2] = [("_docs", "swagger"), ("_health", "ready")];

/// The declared routes, ready to be mounted in every worker.
#[derive(Clone, Debug)]
pub struct RouteList {
    api: Arc<Api>,
    served: Served,
}

impl Api {
    /// Finishes the declaration.
    pub fn finish(self) -> RouteList {
        let api = Arc::new(self);
        let served = Served::new(Arc::clone(&api));
        RouteList { api, served }
    }
}

impl RouteList {
    /// Makes the OpenAPI document, without `servers`, which depend on the client.
    pub fn document(&self) -> Value {
        self.api.document()
    }

    /// Every documented path, those of other adapters as well.
    pub fn paths(&self) -> BTreeSet<&'static str> {
        self.api.paths().collect()
    }

    /// Method and path of every mounted route.
    pub fn mounted(&self) -> impl Iterator<Item = (&Method, &'static str)> {
        let mounted = self.api.mounted();
        mounted.map(|operation| (&operation.spec.method, operation.spec.path))
    }

    /// Mounts the routes over the state that they use, behind the guard. A path accepts one
    /// trailing slash, as Sink's router does.
    pub fn configure(
        &self,
        state: &Data<RestState>,
        guard: &Data<Guard>,
        config: &mut ServiceConfig,
    ) {
        config
            .app_data(state.clone())
            .app_data(guard.clone())
            .app_data(self.served.clone());
        let mut by_path: Vec<(&'static str, Vec<&Operation>)> = Vec::new();
        for operation in self.api.mounted() {
            let its_path = operation.spec.path;
            match by_path.iter_mut().find(|(path, _)| *path == its_path) {
                Some((_, operations)) => operations.push(operation),
                None => by_path.push((its_path, vec![operation])),
            }
        }
        for (path, operations) in by_path {
            let mut resource = Resource::new([path.to_owned(), format!("{path}/")]);
            for operation in operations {
                resource = resource.route((operation.make)());
            }
            if needs_token(path) {
                config.service(guarded(resource, guard));
            } else {
                config.service(public(resource, &guard.edge));
            }
        }
        for (folder, page) in GUESSED {
            let lead =
                web::get().to(async move |request: HttpRequest| lead(&request, folder, page));
            let paths = [format!("/{folder}"), format!("/{folder}/")];
            config.service(public(Resource::new(paths).route(lead), &guard.edge));
        }
    }
}

/// Relative, because a reverse proxy may have stripped a prefix.
fn lead(request: &HttpRequest, folder: &str, page: &str) -> HttpResponse {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use slugline_contract::Bounds;

    use crate::api;

    #[test]
    fn every_mounted_route_is_documented_and_the_other_way_round() {
        let routes = api("1.0.0", &Bounds::default()).finish();
        let mounted: BTreeSet<String> = routes
            .mounted()
            .map(|(method, path)| format!("{} {path}", method.as_str().to_lowercase()))
            .collect();
        let documented: BTreeSet<String> = routes.document()["paths"]
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(path, item)| {
                item.as_object()
                    .unwrap()
                    .keys()
                    .map(move |method| format!("{method} {path}"))
            })
            .collect();
        assert_eq!(mounted, documented);
        assert!(mounted.contains("post /api/link/create"));
    }
}
