//! One declaration per route: it mounts the handler and documents the
//! operation, from the types in the handler's own signature.

use actix_web::http::Method;
use aide::{
    generate,
    openapi::{
        Components, Info, OpenApi, Operation as Documented, PathItem, Paths, ReferenceOr, Response,
        Responses, SecurityScheme, StatusCode,
    },
};
use indexmap::IndexMap;
use schemars::SchemaGenerator;

use slugline_contract::{Bounds, schema};
use thiserror::Error;

use crate::{
    openapi::{body_of, described, path_parameters},
    operation::{Operation, OperationSpec, needs_token},
    route_list::{Declared, RouteList},
};

const SECURITY_SCHEME: &str = "bearerAuth";

/// Actix sends this answer before there is a request, and nothing can add a body.
const HEAD_TOO_LARGE: &str =
    "The headers are longer than 128 KiB together with the address; the answer has no body";

/// Routes that are being declared.
#[derive(Debug)]
pub struct Api {
    document: OpenApi,
    routes: Vec<Declared>,
}

/// A route that another adapter serves, to be documented here.
#[derive(Clone, Debug)]
pub struct ExternalOperation {
    /// Method.
    pub method: Method,
    /// Path, with parameters in braces.
    pub path: &'static str,
    /// Identity of the operation: noun, then verb.
    pub id: &'static str,
    /// Group.
    pub tag: &'static str,
    /// One line.
    pub summary: &'static str,
    /// More.
    pub description: &'static str,
    /// The media types of the request body; none if the route takes no body.
    pub takes: &'static [&'static str],
    /// Statuses and their meanings.
    pub answers: &'static [(u16, &'static str)],
}

/// The reason why an operation cannot stand beside the others.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OperationRefused {
    /// Another operation has the id.
    #[error("two operations have the id {0}; give yours an id of its own")]
    IdTaken(&'static str),
    /// Another operation has the method and the path.
    #[error("two operations are {method} {path}; give yours a path of its own")]
    PathTaken {
        /// The method.
        method: Method,
        /// The path.
        path: &'static str,
    },
    /// Clients send no token there.
    #[error(
        "the operation {id} needs a scope, but callers send no token to {path}; put it below /api/"
    )]
    NoToken {
        /// The operation.
        id: &'static str,
        /// Its path.
        path: &'static str,
    },
    /// The path is no plain one.
    #[error(
        "the operation {id} has the path {path:?}; expected /api/… or /_…, of letters, digits, \
         -, ., _ and ~, without a slash at its end; parameters belong into the query or the body"
    )]
    Path {
        /// The operation.
        id: &'static str,
        /// Its path.
        path: &'static str,
    },
    /// Operations do not have this method.
    #[error("the operation {id} has the method {method}; use GET, POST, PUT, PATCH or DELETE")]
    Method {
        /// The operation.
        id: &'static str,
        /// Its method.
        method: Method,
    },
}

/// True for a path of the service whose segments mean themselves.
fn is_plain(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let segments = path.strip_prefix('/').unwrap_or_default().split('/');
    let ours = needs_token(path) || path.starts_with("/_");
    ours && segments
        .map(str::as_bytes)
        .all(|segment| !segment.is_empty() && segment.iter().copied().all(plain))
}

impl Api {
    pub(crate) fn new(info: Info, bounds: &Bounds) -> Self {
        // Aide keeps its schema generator in a thread-local and starts it on an old
        // draft; the document declares 2020-12, so the generator must use that, too.
        generate::reset_context();
        generate::in_context(|context| {
            let settings = schema::settings(bounds)
                .with(|settings| settings.definitions_path = "/components/schemas".into());
            context.schema = SchemaGenerator::new(settings);
        });
        let mut components = Components::default();
        let bearer = SecurityScheme::Http {
            scheme: "bearer".into(),
            bearer_format: None,
            description: Some(
                "The site token, or a named token with the scope that the operation states.".into(),
            ),
            extensions: IndexMap::default(),
        };
        components
            .security_schemes
            .insert(SECURITY_SCHEME.into(), ReferenceOr::Item(bearer));
        let document = OpenApi {
            info,
            components: Some(components),
            paths: Some(Paths::default()),
            ..OpenApi::default()
        };
        Self {
            document,
            routes: Vec::new(),
        }
    }

    /// Mounts and documents an operation.
    ///
    /// # Errors
    /// The operation cannot stand beside the others.
    pub fn operation(mut self, operation: Operation) -> Result<Self, OperationRefused> {
        let Operation {
            spec,
            document,
            make,
        } = operation;
        let OperationSpec { path, id, .. } = spec;
        if spec.needs.scope().is_some() && !needs_token(path) {
            return Err(OperationRefused::NoToken { id, path });
        }
        if !is_plain(path) {
            return Err(OperationRefused::Path { id, path });
        }
        let described = match spec.needs.scope() {
            Some(scope) => format!("{} Scope: `{scope}`.", spec.description),
            None => spec.description.to_owned(),
        };
        let documented = generate::in_context(|context| document(&spec, context));
        self.document_operation(
            &ExternalOperation {
                method: spec.method.clone(),
                path,
                id,
                tag: spec.tag,
                summary: spec.summary,
                description: spec.description,
                takes: &[],
                answers: &[],
            },
            described.trim(),
            documented,
        )?;
        self.routes.push(Declared {
            method: spec.method,
            path,
            make,
        });
        Ok(self)
    }

    /// Documents a route that another adapter mounts.
    ///
    /// # Errors
    /// The operation cannot stand beside the others.
    pub fn external(mut self, route: &ExternalOperation) -> Result<Self, OperationRefused> {
        let mut responses = Responses::default();
        for (status, meaning) in route.answers {
            let response = Response {
                description: (*meaning).into(),
                ..Response::default()
            };
            responses
                .responses
                .insert(StatusCode::Code(*status), ReferenceOr::Item(response));
        }
        let operation = Documented {
            parameters: path_parameters(route.path).collect(),
            request_body: body_of(route.takes),
            responses: Some(responses),
            ..Documented::default()
        };
        self.document_operation(route, route.description, operation)?;
        Ok(self)
    }

    /// Finishes the declaration.
    pub fn finish(mut self) -> RouteList {
        let components = self.document.components.get_or_insert_default();
        generate::in_context(|context| {
            for (name, schema) in context.schema.take_definitions(true) {
                let json_schema = schema.try_into().expect("definitions are schemas");
                components.schemas.insert(name, described(json_schema));
            }
        });
        generate::reset_context();
        let document = serde_json::to_value(&self.document).expect("a document is plain data");
        RouteList::new(self.routes, document)
    }

    fn document_operation(
        &mut self,
        spec: &ExternalOperation,
        description: &str,
        mut operation: Documented,
    ) -> Result<(), OperationRefused> {
        operation.operation_id = Some(spec.id.into());
        operation.tags = vec![spec.tag.into()];
        operation.summary = Some(spec.summary.into());
        operation.description = Some(description.into());
        if needs_token(spec.path) {
            operation.security = vec![[(SECURITY_SCHEME.to_owned(), Vec::new())].into()];
        }
        let responses = operation.responses.get_or_insert_default();
        responses.responses.insert(
            StatusCode::Code(431),
            ReferenceOr::Item(Response {
                description: HEAD_TOO_LARGE.into(),
                ..Response::default()
            }),
        );
        let paths = self.document.paths.get_or_insert_default();
        let taken = |operation: &Documented| operation.operation_id.as_deref() == Some(spec.id);
        let items = paths.paths.values().filter_map(ReferenceOr::as_item);
        let repeated = items
            .flat_map(PathItem::iter)
            .any(|(_, operation)| taken(operation));
        if repeated {
            return Err(OperationRefused::IdTaken(spec.id));
        }
        let item = paths
            .paths
            .entry(spec.path.to_owned())
            .or_insert_with(|| ReferenceOr::Item(PathItem::default()));
        let ReferenceOr::Item(item) = item else {
            unreachable!("only items are inserted")
        };
        let slot = match spec.method {
            Method::GET => &mut item.get,
            Method::POST => &mut item.post,
            Method::PUT => &mut item.put,
            Method::PATCH => &mut item.patch,
            Method::DELETE => &mut item.delete,
            ref method => {
                return Err(OperationRefused::Method {
                    id: spec.id,
                    method: method.clone(),
                });
            }
        };
        if slot.is_some() {
            return Err(OperationRefused::PathTaken {
                method: spec.method.clone(),
                path: spec.path,
            });
        }
        *slot = Some(operation);
        Ok(())
    }
}
