//! One declaration per route: it mounts the handler and documents the
//! operation, from the types in the handler's own signature.

use actix_web::http::Method;
use aide::{
    generate::{self, GenContext},
    openapi::{
        Components, Info, OpenApi, Operation as Documented, PathItem, Paths, ReferenceOr, Response,
        Responses, SecurityScheme, StatusCode,
    },
};
use indexmap::IndexMap;
use schemars::SchemaGenerator;
use serde_json::Value;

use slugline_contract::{Bounds, schema};
use thiserror::Error;

use crate::{
    openapi::{body_of, described, path_parameters},
    operation::{Operation, OperationSpec, needs_token},
};

const SECURITY_SCHEME: &str = "bearerAuth";

/// Actix sends this answer before there is a request, and nothing can add a body.
const HEAD_TOO_LARGE: &str =
    "The headers are longer than 128 KiB together with the address; the answer has no body";

/// Routes that are being declared.
#[derive(Debug)]
pub struct Api {
    info: Info,
    bounds: Bounds,
    entries: Vec<Entry>,
}

/// An operation, mounted here or by another adapter.
#[derive(Debug)]
enum Entry {
    Own(Operation),
    External(ExternalOperation),
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

impl Entry {
    /// Method, path and id.
    fn identity(&self) -> (&Method, &'static str, &'static str) {
        match self {
            Self::Own(Operation { spec, .. }) => (&spec.method, spec.path, spec.id),
            Self::External(spec) => (&spec.method, spec.path, spec.id),
        }
    }

    fn document(&self, context: &mut GenContext) -> Documented {
        let (tag, summary, description, mut operation) = match self {
            Self::Own(Operation { spec, document, .. }) => {
                let description = match spec.needs.scope() {
                    Some(scope) => format!("{} Scope: `{scope}`.", spec.description),
                    None => spec.description.to_owned(),
                };
                let operation = document(spec, context);
                (
                    spec.tag,
                    spec.summary,
                    description.trim().to_owned(),
                    operation,
                )
            }
            Self::External(spec) => {
                let operation = spec.document();
                (
                    spec.tag,
                    spec.summary,
                    spec.description.to_owned(),
                    operation,
                )
            }
        };
        let (_, path, id) = self.identity();
        operation.operation_id = Some(id.into());
        operation.tags = vec![tag.into()];
        operation.summary = Some(summary.into());
        operation.description = Some(description);
        if needs_token(path) {
            operation.security = vec![[(SECURITY_SCHEME.to_owned(), Vec::new())].into()];
        }
        let responses = operation.responses.get_or_insert_default();
        responses.responses.extend([answer(431, HEAD_TOO_LARGE)]);
        operation
    }
}

/// A status and its meaning, as the document has them.
fn answer(status: u16, meaning: &str) -> (StatusCode, ReferenceOr<Response>) {
    let response = Response {
        description: meaning.into(),
        ..Response::default()
    };
    (StatusCode::Code(status), ReferenceOr::Item(response))
}

impl ExternalOperation {
    fn document(&self) -> Documented {
        let mut responses = Responses::default();
        let answers = self.answers.iter();
        let answers = answers.map(|(status, meaning)| answer(*status, meaning));
        responses.responses.extend(answers);
        Documented {
            parameters: path_parameters(self.path).collect(),
            request_body: body_of(self.takes),
            responses: Some(responses),
            ..Documented::default()
        }
    }
}

impl Api {
    pub(crate) fn new(info: Info, bounds: &Bounds) -> Self {
        Self {
            info,
            bounds: bounds.clone(),
            entries: Vec::new(),
        }
    }

    /// Mounts and documents an operation.
    ///
    /// # Errors
    /// The operation cannot stand beside the others.
    pub fn operation(self, operation: Operation) -> Result<Self, OperationRefused> {
        let OperationSpec { path, id, .. } = operation.spec;
        if operation.spec.needs.scope().is_some() && !needs_token(path) {
            return Err(OperationRefused::NoToken { id, path });
        }
        if !is_plain(path) {
            return Err(OperationRefused::Path { id, path });
        }
        self.with(Entry::Own(operation))
    }

    /// Documents a route that another adapter mounts.
    ///
    /// # Errors
    /// The operation cannot stand beside the others.
    pub fn external(self, route: &ExternalOperation) -> Result<Self, OperationRefused> {
        self.with(Entry::External(route.clone()))
    }

    fn with(mut self, entry: Entry) -> Result<Self, OperationRefused> {
        let (method, path, id) = entry.identity();
        let mut others = self.entries.iter().map(Entry::identity);
        if others.clone().any(|(_, _, other)| other == id) {
            return Err(OperationRefused::IdTaken(id));
        }
        if others.any(|(taken, other, _)| (taken, other) == (method, path)) {
            let method = method.clone();
            return Err(OperationRefused::PathTaken { method, path });
        }
        if slot(&mut PathItem::default(), method).is_none() {
            let method = method.clone();
            return Err(OperationRefused::Method { id, method });
        }
        self.entries.push(entry);
        Ok(self)
    }

    /// The operations that this crate mounts.
    pub(crate) fn mounted(&self) -> impl Iterator<Item = &Operation> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Own(operation) => Some(operation),
            Entry::External(_) => None,
        })
    }

    /// The path of each operation, as often as it has methods.
    pub fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.identity().1)
    }

    /// Makes the document, which takes some milliseconds and megabytes.
    pub(crate) fn document(&self) -> Value {
        // Aide keeps its schema generator in a thread-local and starts it on an old
        // draft; the document declares 2020-12, so the generator must use that, too.
        generate::reset_context();
        let (paths, schemas) = generate::in_context(|context| {
            let settings = schema::settings(&self.bounds)
                .with(|settings| settings.definitions_path = "/components/schemas".into());
            context.schema = SchemaGenerator::new(settings);
            let mut paths = Paths::default();
            for entry in &self.entries {
                let (method, path, _) = entry.identity();
                let item = paths.paths.entry(path.to_owned());
                let item = item.or_insert_with(|| ReferenceOr::Item(PathItem::default()));
                if let ReferenceOr::Item(item) = item
                    && let Some(slot) = slot(item, method)
                {
                    *slot = Some(entry.document(context));
                }
            }
            (paths, context.schema.take_definitions(true))
        });
        generate::reset_context();
        let bearer = SecurityScheme::Http {
            scheme: "bearer".into(),
            bearer_format: None,
            description: Some(
                "The site token, or a named token with the scope that the operation states.".into(),
            ),
            extensions: IndexMap::default(),
        };
        let mut components = Components::default();
        components
            .security_schemes
            .insert(SECURITY_SCHEME.into(), ReferenceOr::Item(bearer));
        for (name, schema) in schemas {
            let json_schema = schema.try_into().expect("definitions are schemas");
            components.schemas.insert(name, described(json_schema));
        }
        let document = OpenApi {
            info: self.info.clone(),
            components: Some(components),
            paths: Some(paths),
            ..OpenApi::default()
        };
        serde_json::to_value(&document).expect("a document is plain data")
    }
}

/// The place of an operation with this method, if operations may have it.
fn slot<'i>(item: &'i mut PathItem, method: &Method) -> Option<&'i mut Option<Documented>> {
    Some(match *method {
        Method::GET => &mut item.get,
        Method::POST => &mut item.post,
        Method::PUT => &mut item.put,
        Method::PATCH => &mut item.patch,
        Method::DELETE => &mut item.delete,
        _ => return None,
    })
}
