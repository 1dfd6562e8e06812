//! One declaration per route: it mounts the handler and documents the
//! operation, from the types in the handler's own signature.

use std::{collections::BTreeMap, sync::Arc};

use actix_web::{FromRequest, Handler, Route, http::Method, middleware::from_fn};
use aide::{
    OperationInput, OperationOutput,
    generate::{self, GenContext},
    openapi::{
        Components, Info, MediaType, OpenApi, Operation, Parameter, ParameterData,
        ParameterSchemaOrContent, PathItem, PathStyle, Paths, ReferenceOr, RequestBody, Response,
        Responses, SchemaObject, SecurityScheme, StatusCode,
    },
};
use indexmap::IndexMap;
use schemars::{SchemaGenerator, json_schema};

use slugline_contract::{Code, ProblemBody, Rules, schema};
use slugline_domain::Scope;
use slugline_httpkit::Failure;

use crate::{
    conditional::document_tag,
    operation_spec::OperationSpec,
    permit::permit,
    reply::Reply,
    route_list::{Declared, RouteList, needs_token},
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

impl Api {
    pub(crate) fn new(info: Info, rules: &Rules) -> Self {
        // Aide keeps its schema generator in a thread-local and starts it on an old
        // draft; the document declares 2020-12, so the generator must use that, too.
        generate::reset_context();
        generate::in_context(|context| {
            let settings = schema::settings(rules)
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

    /// Mounts and documents a handler.
    pub(crate) fn route<F, Args, R>(mut self, spec: OperationSpec, handler: F) -> Self
    where
        F: Handler<Args, Output = Result<R, Failure>> + Send + Sync,
        Args: FromRequest + OperationInput + 'static,
        R: Reply + OperationOutput,
    {
        let operation = generate::in_context(|context| {
            let mut operation = Operation::default();
            Args::operation_input(context, &mut operation);
            let mut responses = Responses::default();
            for (status, response) in R::inferred_responses(context, &mut operation) {
                let status = status.expect("every reply names its status");
                responses
                    .responses
                    .insert(status, ReferenceOr::Item(response));
            }
            document_failures(context, &spec, &operation, &mut responses);
            operation.responses = Some(responses);
            operation
        });
        let method = spec.method.clone();
        let needs = spec.needs;
        let make = Arc::new(move || {
            Route::new()
                .method(method.clone())
                .to(handler.clone())
                .wrap(from_fn(move |request, next| permit(needs, request, next)))
        });
        assert!(
            needs.scope().is_none() || needs_token(spec.path),
            "{} needs a scope, and nobody sends a token there",
            spec.id
        );
        let described = match needs.scope() {
            Some(scope) => format!("{} Scope: `{scope}`.", spec.description),
            None => spec.description.to_owned(),
        };
        self.document_operation(
            &ExternalOperation {
                method: spec.method.clone(),
                path: spec.path,
                id: spec.id,
                tag: spec.tag,
                summary: spec.summary,
                description: spec.description,
                takes: &[],
                answers: &[],
            },
            &described,
            operation,
        );
        self.routes.push(Declared {
            method: spec.method,
            path: spec.path,
            make,
        });
        self
    }

    /// Documents a route that another adapter mounts.
    #[must_use]
    pub fn external(mut self, route: &ExternalOperation) -> Self {
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
        let operation = Operation {
            parameters: path_parameters(route.path).collect(),
            request_body: body_of(route.takes),
            responses: Some(responses),
            ..Operation::default()
        };
        self.document_operation(route, route.description, operation);
        self
    }

    /// Finishes the declaration.
    ///
    /// # Panics
    /// Two operations share an id, or a method and a path, which is a mistake in the
    /// declarations.
    pub fn finish(mut self) -> RouteList {
        let components = self.document.components.get_or_insert_default();
        generate::in_context(|context| {
            for (name, schema) in context.schema.take_definitions(true) {
                let json_schema = schema.try_into().expect("definitions are schemas");
                let schema = SchemaObject {
                    json_schema,
                    external_docs: None,
                    example: None,
                };
                components.schemas.insert(name, schema);
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
        mut operation: Operation,
    ) {
        operation.operation_id = Some(spec.id.into());
        operation.tags = vec![spec.tag.into()];
        operation.summary = Some(spec.summary.into());
        operation.description = Some(description.into());
        if needs_token(spec.path) {
            operation.security = vec![[(SECURITY_SCHEME.to_owned(), Vec::new())].into()];
        }
        let responses = operation.responses.get_or_insert_default();
        let too_long = Code::UriTooLong;
        let problem = generate::in_context(|context| problem(context, &[too_long.as_str()]));
        responses.responses.insert(
            StatusCode::Code(too_long.status()),
            ReferenceOr::Item(problem),
        );
        responses.responses.insert(
            StatusCode::Code(431),
            ReferenceOr::Item(Response {
                description: HEAD_TOO_LARGE.into(),
                ..Response::default()
            }),
        );
        let paths = self.document.paths.get_or_insert_default();
        let taken = |operation: &Operation| operation.operation_id.as_deref() == Some(spec.id);
        let items = paths.paths.values().filter_map(ReferenceOr::as_item);
        let repeated = items
            .flat_map(PathItem::iter)
            .any(|(_, operation)| taken(operation));
        assert!(!repeated, "two operations have the id {}", spec.id);
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
            ref other => panic!("{other} routes are not declared"),
        };
        assert!(
            slot.is_none(),
            "{} {} is declared twice",
            spec.method,
            spec.path
        );
        *slot = Some(operation);
    }
}

/// Returns the parts of a path in braces.
fn path_parameters(path: &str) -> impl Iterator<Item = ReferenceOr<Parameter>> {
    let names = path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'));
    names.map(|(name, _)| {
        let text = SchemaObject {
            json_schema: json_schema!({"type": "string", "minLength": 1}),
            external_docs: None,
            example: None,
        };
        ReferenceOr::Item(Parameter::Path {
            parameter_data: ParameterData {
                name: name.into(),
                description: None,
                required: true,
                deprecated: None,
                format: ParameterSchemaOrContent::Schema(text),
                example: None,
                examples: IndexMap::default(),
                explode: None,
                extensions: IndexMap::default(),
            },
            style: PathStyle::default(),
        })
    })
}

fn body_of(media_types: &[&str]) -> Option<ReferenceOr<RequestBody>> {
    let content: IndexMap<String, MediaType> = media_types
        .iter()
        .map(|media_type| ((*media_type).to_owned(), MediaType::default()))
        .collect();
    let body = RequestBody {
        content,
        ..RequestBody::default()
    };
    (!media_types.is_empty()).then_some(ReferenceOr::Item(body))
}

/// Documents an error with one of these codes.
fn problem(context: &mut GenContext, codes: &[&str]) -> Response {
    let schema = SchemaObject {
        json_schema: context.schema.subschema_for::<ProblemBody>(),
        external_docs: None,
        example: None,
    };
    let mut response = Response {
        description: format!("Error: {}", codes.join(", ")),
        ..Response::default()
    };
    response.content.insert(
        "application/json".into(),
        MediaType {
            schema: Some(schema),
            ..MediaType::default()
        },
    );
    response
}

/// Documents the errors of every route of its kind, and of this route.
fn document_failures(
    context: &mut GenContext,
    spec: &OperationSpec,
    operation: &Operation,
    responses: &mut Responses,
) {
    let mut codes = spec.fails.to_vec();
    if spec.needs.scope().is_some() {
        codes.push(Code::MissingScope);
    }
    if spec.needs.scope() == Some(Scope::LinksWrite) && spec.method != Method::GET {
        codes.push(Code::TooManyWrites);
    }
    if spec.needs.forbidden_in_preview().is_some() {
        codes.push(Code::PreviewMode);
    }
    if spec.needs.needs_links() {
        codes.push(Code::MigrationRequired);
    }
    if operation.request_body.is_some() {
        codes.extend([
            Code::ValidationError,
            Code::InvalidJson,
            Code::RequestTimeout,
            Code::BodyTooLarge,
        ]);
    } else if !operation.parameters.is_empty() {
        codes.push(Code::ValidationError);
    }
    if needs_token(spec.path) {
        codes.extend([
            Code::Unauthorized,
            Code::TooManyAttempts,
            Code::InternalError,
            Code::Unavailable,
        ]);
    }
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in codes {
        by_status
            .entry(code.status())
            .or_default()
            .push(code.as_str());
    }
    for (status, codes) in by_status {
        let mut response = problem(context, &codes);
        if status == Code::PreconditionFailed.status() {
            document_tag(&mut response);
        }
        responses
            .responses
            .insert(StatusCode::Code(status), ReferenceOr::Item(response));
    }
}
