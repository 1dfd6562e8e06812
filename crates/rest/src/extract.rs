//! The inputs of handlers.

use std::{future::Future, net::IpAddr, ops::Deref, pin::Pin, sync::Arc};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, web};
use aide::{
    OperationInput,
    generate::GenContext,
    openapi::{
        MediaType, Operation, Parameter, ParameterData, ParameterSchemaOrContent, QueryStyle,
        ReferenceOr, RequestBody, SchemaObject,
    },
};
use indexmap::IndexMap;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;
use slugline_application::{App, Caller, LinkReader, LinkWriter, StatsReader};
use slugline_contract::{
    Code, ImportLimit, Problem, Rules, SetupView, UnknownNames, query_to_json, read,
};
use slugline_domain::{
    Author, Place,
    ports::{DiskWatch, LinksWatch},
};
use slugline_httpkit::{
    Failure, Foresight, Guard, IgnoredNames, Origin, caller, header, unreadable_body,
};

use crate::outside::Outside;

/// The state that every handler uses, from the app's data.
#[derive(Clone, Debug)]
pub struct RestState {
    /// The use cases.
    pub app: Arc<App>,
    /// The instance's bounds.
    pub rules: Rules,
    /// Links that one import may bring.
    pub import_limit: ImportLimit,
    /// The instance's setup, as far as its settings tell.
    pub setup: Arc<SetupView>,
    /// The disk that the service writes to.
    pub disk: Arc<dyn DiskWatch>,
    /// The state of the links database.
    pub links_watch: Arc<dyn LinksWatch>,
    /// The public address from outside, if there is something to look at.
    pub outside: Option<Arc<dyn Outside>>,
    /// Tells what a redirect would answer.
    pub foresight: Arc<dyn Foresight>,
}

/// The adapter's state from the app's data.
pub(crate) fn state(request: &HttpRequest) -> &web::Data<RestState> {
    request
        .app_data()
        .expect("the app is built with the state of its REST routes")
}

/// The media type of the body, without parameters, in lower case.
pub(crate) fn media_type(request: &HttpRequest) -> String {
    header(request, "content-type")
        .and_then(|value| value.split(';').next())
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// The use cases and bounds.
#[derive(Debug)]
pub struct Context(web::Data<RestState>);

/// The caller of an operation that needs a token.
#[derive(Debug)]
pub struct CalledBy(pub Caller);

/// The desk at which a client without a token exchanges a one-time code for it.
pub(crate) struct CodeDesk {
    guard: web::Data<Guard>,
    client: IpAddr,
}

/// The author of the changes that a request makes.
#[derive(Debug)]
pub struct ChangedBy(pub Author);

/// The links that the caller sees.
#[derive(Debug)]
pub struct Links(pub LinkReader);

/// The links that the caller sees, and changes of them in the caller's name. Each change leaves
/// a line in the audit trail.
#[derive(Debug)]
pub struct Changes(pub LinkWriter);

/// Queries about the visits that the caller sees.
#[derive(Debug)]
pub struct Statistics(pub StatsReader);

/// The public origin of the service, for short links in answers.
#[derive(Debug)]
pub struct PublicOrigin(pub Origin);

/// What the instance knows of clients.
pub(crate) struct Clients(pub(crate) web::Data<Guard>);

/// The client's place.
pub(crate) struct ClientPlace(pub(crate) Place);

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

impl Deref for Context {
    type Target = RestState;

    fn deref(&self) -> &RestState {
        &self.0
    }
}

impl FromRequest for Context {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(state(request).clone())))
    }
}

impl OperationInput for Context {}

impl FromRequest for CalledBy {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = caller(request).expect("the route needs a token");
        std::future::ready(Ok(Self(caller)))
    }
}

impl OperationInput for CalledBy {}

impl CodeDesk {
    /// Exchanges a code for the site token.
    pub(crate) async fn redeem(&self, code: &str) -> Result<String, Failure> {
        Ok(self.guard.redeem(code, self.client).await?)
    }
}

impl FromRequest for CodeDesk {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let guard = Guard::of(request).clone();
        let client = guard.client_address(request);
        std::future::ready(Ok(Self { guard, client }))
    }
}

impl OperationInput for CodeDesk {}

impl FromRequest for ChangedBy {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = caller(request).expect("the route needs a token");
        std::future::ready(Ok(Self(Guard::of(request).author(&caller, request))))
    }
}

impl OperationInput for ChangedBy {}

impl FromRequest for Links {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = caller(request).expect("the route needs a token");
        std::future::ready(Ok(Self(state(request).app.links.seen_by(&caller))))
    }
}

impl OperationInput for Links {}

impl FromRequest for Changes {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = caller(request).expect("the route needs a token");
        let author = Guard::of(request).author(&caller, request);
        std::future::ready(Ok(Self(state(request).app.links.by(caller, author))))
    }
}

impl OperationInput for Changes {}

impl FromRequest for Statistics {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = caller(request).expect("the route needs a token");
        std::future::ready(Ok(Self(state(request).app.stats.seen_by(&caller))))
    }
}

impl OperationInput for Statistics {}

impl FromRequest for PublicOrigin {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(Guard::of(request).origin(request))))
    }
}

impl OperationInput for PublicOrigin {}

impl FromRequest for Clients {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(Guard::of(request).clone())))
    }
}

impl OperationInput for Clients {}

impl FromRequest for ClientPlace {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(Guard::of(request).client_place(request))))
    }
}

impl OperationInput for ClientPlace {}

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
    let media_type = media_type(request);
    let bytes = web::Bytes::from_request(request, payload);
    Box::pin(async move {
        let bytes = bytes.await.map_err(|error| unreadable_body(&error))?;
        Ok(parse(&media_type, &bytes)?)
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
            let data = ParameterData {
                required: required(&name),
                description: description.and_then(|text| text.as_str().map(str::to_owned)),
                name,
                deprecated: None,
                format: ParameterSchemaOrContent::Schema(described(property)),
                example: None,
                examples: IndexMap::default(),
                explode: None,
                extensions: IndexMap::default(),
            };
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

pub(crate) fn json(json_schema: Schema) -> MediaType {
    MediaType {
        schema: Some(described(json_schema)),
        ..MediaType::default()
    }
}

fn described(json_schema: Schema) -> SchemaObject {
    SchemaObject {
        json_schema,
        external_docs: None,
        example: None,
    }
}
