//! The errors of an operation, in its document.

use std::collections::BTreeMap;

use actix_web::http::Method;
use aide::{
    generate::GenContext,
    openapi::{MediaType, Operation, ReferenceOr, Response, Responses, SchemaObject, StatusCode},
};
use slugline_contract::{Code, ProblemBody};
use slugline_domain::Scope;

use crate::{
    conditional::document_tag,
    operation_spec::{OperationSpec, needs_token},
};

/// Documents an error with one of these codes.
pub(crate) fn problem(context: &mut GenContext, codes: &[&str]) -> Response {
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
pub(crate) fn document(
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
