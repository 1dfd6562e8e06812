//! The inputs of handlers that are read into a type of the contract: JSON bodies and queries.

use std::{future::Future, pin::Pin};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, web};
use aide::{
    OperationInput,
    generate::GenContext,
    openapi::{Operation, Parameter, QueryStyle, ReferenceOr, RequestBody},
};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;
use slugline_contract::{Code, Problem, UnknownNames, query_to_json, read};
use slugline_httpkit::{Failure, IgnoredNames, media_type, read_body};

use crate::{
    BODY_LIMIT,
    openapi::{json, parameter},
};

/// A JSON body. Its schema stands in the document.
#[derive(Debug)]
pub struct Body<T>(pub T);

/// Query parameters: the members of an object. They stand in the document.
#[derive(Debug)]
pub struct Query<T>(pub T);

/// Members in the query, in an optional JSON body, or in both. The body's members take
/// precedence.
pub(crate) struct QueryOrBody<T>(pub(crate) T);

type Extracted<T> = Pin<Box<dyn Future<Output = Result<T, Failure>>>>;

impl<T: DeserializeOwned + JsonSchema + 'static> FromRequest for Body<T> {
    type Error = Failure;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = body_of(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let body = body.await?;
            UnknownNames::refuse_trial(&query_to_json(request.query_string()))?;
            Ok(Self(read_members(&request, &body)?))
        })
    }
}

/// Reads an input. A name that means a known one is refused. Other unknown names are
/// ignored, as in Sink, and listed in a header of the response.
fn read_members<T: DeserializeOwned + JsonSchema + 'static>(
    request: &HttpRequest,
    value: &Value,
) -> Result<T, Problem> {
    let ignored = UnknownNames::of::<T>(value).refuse_meant()?;
    if !ignored.is_empty() {
        request.extensions_mut().insert(IgnoredNames(ignored));
    }
    read(value)
}

/// The body as JSON; an empty one is `null`.
fn body_of(request: &HttpRequest, payload: &mut Payload) -> Extracted<Value> {
    let request = request.clone();
    let body = web::Payload::from_request(&request, payload);
    Box::pin(async move {
        let body = body.await.expect("every request has one");
        let bytes = read_body(&request, body, BODY_LIMIT).await?;
        Ok(parse(&media_type(&request), &bytes)?)
    })
}

impl<T: DeserializeOwned + JsonSchema + 'static> FromRequest for QueryOrBody<T> {
    type Error = Failure;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let mut members = query_to_json(request.query_string());
        let body = body_of(request, payload);
        let request = request.clone();
        Box::pin(async move {
            match body.await? {
                Value::Null => {}
                Value::Object(body) => {
                    let members = members.as_object_mut();
                    members.expect("a query is an object").extend(body);
                }
                other
                @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                    members = other;
                }
            }
            Ok(Self(read_members(&request, &members)?))
        })
    }
}

impl<T: JsonSchema> OperationInput for QueryOrBody<T> {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        Query::<T>::operation_input(context, operation);
        Body::<T>::operation_input(context, operation);
        if let Some(ReferenceOr::Item(body)) = &mut operation.request_body {
            body.required = false;
        }
    }
}

/// Sink reads every body as JSON, whatever its type says, except for forms and plain
/// text. A body that begins like a JSON object is not a form: curl sends every body as a
/// form unless told otherwise.
pub(crate) fn parse(media_type: &str, bytes: &[u8]) -> Result<Value, Problem> {
    let object = bytes.trim_ascii_start().starts_with(b"{");
    if media_type == "application/x-www-form-urlencoded" && !object {
        return Ok(query_to_json(&String::from_utf8_lossy(bytes)));
    }
    if media_type.starts_with("text/") {
        return Ok(Value::String(String::new()));
    }
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(bytes)
        .map_err(|error| Problem::new(Code::InvalidJson, format!("Invalid JSON body: {error}")))
}

impl<T: JsonSchema> OperationInput for Body<T> {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        let json_schema = context.schema.subschema_for::<T>();
        let mut body = RequestBody {
            required: true,
            ..RequestBody::default()
        };
        body.content
            .insert("application/json".into(), json(json_schema));
        operation.request_body = Some(ReferenceOr::Item(body));
    }
}

impl<T: DeserializeOwned + JsonSchema + 'static> FromRequest for Query<T> {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let parsed = read_members(request, &query_to_json(request.query_string()));
        std::future::ready(parsed.map(Self).map_err(Failure::from))
    }
}

impl<T: JsonSchema> OperationInput for Query<T> {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        let mut object = T::json_schema(&mut context.schema);
        for transform in context.schema.transforms_mut() {
            transform.transform(&mut object);
        }
        let required = object.get("required").cloned().unwrap_or_default();
        let required = |name: &str| {
            required
                .as_array()
                .is_some_and(|all| all.iter().any(|r| r == name))
        };
        let Some(Value::Object(properties)) = object.get("properties") else {
            return;
        };
        for (name, property) in properties.clone() {
            let mut property: Schema = property.try_into().expect("properties are schemas");
            let description = property.remove("description");
            let description = description.and_then(|text| text.as_str().map(str::to_owned));
            let data = parameter(&name, description, required(&name), property);
            operation
                .parameters
                .push(ReferenceOr::Item(Parameter::Query {
                    parameter_data: data,
                    allow_reserved: false,
                    style: QueryStyle::Form,
                    allow_empty_value: None,
                }));
        }
    }
}
