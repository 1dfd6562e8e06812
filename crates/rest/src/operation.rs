//! A route with its handler: mounted and documented from one declaration.

use std::{collections::BTreeMap, fmt, sync::Arc};

use actix_web::{
    Error, FromRequest, Handler, Route,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::Method,
    middleware::{Next, from_fn},
};
use aide::{
    OperationInput,
    generate::GenContext,
    openapi::{Operation as Documented, ReferenceOr, Responses, StatusCode},
};
use slugline_application::Access;
use slugline_contract::Code;
use slugline_domain::Scope;
use slugline_httpkit::{Failure, caller};

use crate::{
    input::state,
    openapi::{problem, tag_header},
    reply::{Answering, Reply},
};

/// A route with its handler.
pub struct Operation {
    pub(crate) spec: OperationSpec,
    pub(crate) document: fn(&OperationSpec, &mut GenContext) -> Documented,
    pub(crate) make: MakeRoute,
}

/// The facts about a route that its handler's signature does not show.
#[derive(Clone, Debug)]
pub struct OperationSpec {
    /// Method: GET, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// Path, without parameters; they belong into the query or the body. Below `/api/` the
    /// operation asks for a token.
    pub path: &'static str,
    /// Noun, then verb: `link_create`.
    pub id: &'static str,
    /// Group of operations in the document.
    pub tag: &'static str,
    /// One line.
    pub summary: &'static str,
    /// More.
    pub description: &'static str,
    /// The access rule; checked before any input is read.
    pub needs: Access,
    /// Error codes beyond those that follow from `needs` and those of every route of its
    /// kind.
    pub fails: &'static [Code],
}

/// Makes the route anew for each worker.
pub(crate) type MakeRoute = Arc<dyn Fn() -> Route + Send + Sync>;

impl OperationSpec {
    /// States the facts that every operation has.
    pub fn new(method: Method, path: &'static str, id: &'static str, needs: Access) -> Self {
        Self {
            method,
            path,
            id,
            tag: "Extensions",
            summary: id,
            description: "",
            needs,
            fails: &[],
        }
    }
}

impl Operation {
    /// Declares an operation by a handler.
    ///
    /// The handler is an async function, or a closure that returns a future. Its arguments are
    /// extractors of this crate, such as [`Body`](crate::Body), [`Query`](crate::Query) and
    /// [`Changes`](crate::Changes); its result is an answer of this crate, such as
    /// [`Json`](crate::Json). Both stand in the document with their schemas. The access rule is
    /// checked before any argument is read.
    pub fn new<F, Args, R>(spec: OperationSpec, handler: F) -> Self
    where
        F: Handler<Args, Output = Result<R, Failure>> + Send + Sync,
        Args: FromRequest + OperationInput + 'static,
        R: Reply,
    {
        let method = spec.method.clone();
        let needs = spec.needs;
        let make = move || {
            Route::new()
                .method(method.clone())
                .to(Answering(handler.clone()))
                .wrap(from_fn(move |request, next| permit(needs, request, next)))
        };
        Self {
            spec,
            document: document::<Args, R>,
            make: Arc::new(make),
        }
    }

    /// The operation's identity in the document.
    pub fn id(&self) -> &'static str {
        self.spec.id
    }

    /// The path.
    pub fn path(&self) -> &'static str {
        self.spec.path
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Operation").field(&self.spec).finish()
    }
}

/// Makes a function of each row of a table, which declares the operation of that name. The table
/// begins with the group of its operations in the document. A row has the method, the path, the
/// handler, the access rule, the codes of [`OperationSpec::fails`], the summary and the
/// description.
macro_rules! operations {
    ($tag:expr; $(
        $id:ident: $method:ident $path:expr => $handler:expr, $needs:expr, [$($code:ident),*],
            $summary:literal,
            $description:literal;
    )+) => {$(
        pub(crate) fn $id() -> $crate::operation::Operation {
            let spec = $crate::operation::OperationSpec {
                method: ::actix_web::http::Method::$method,
                path: $path,
                id: stringify!($id),
                tag: $tag,
                summary: $summary,
                description: $description,
                needs: $needs,
                fails: &[$(::slugline_contract::Code::$code),*],
            };
            $crate::operation::Operation::new(spec, $handler)
        }
    )+};
}
pub(crate) use operations;

/// The site token guards everything below `/api/`.
pub(crate) fn needs_token(path: &str) -> bool {
    path.starts_with("/api/")
}

/// Refuses a request that the caller may not make or that the instance does not allow, before the
/// handler's arguments are extracted.
#[expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]
async fn permit(
    needs: Access,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let app = &state(request.request()).app;
    let permitted = match caller(request.request()) {
        Some(caller) => app.permit(&caller, needs),
        // A route that needs no token.
        None => app.links.permit(needs),
    };
    match permitted {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(error) => Ok(request.error_response(Failure::from(error))),
    }
}

fn document<Args: OperationInput, R: Reply>(
    spec: &OperationSpec,
    context: &mut GenContext,
) -> Documented {
    let mut operation = Documented::default();
    Args::operation_input(context, &mut operation);
    let mut responses = Responses::default();
    for (status, response) in R::documented(context) {
        let status = StatusCode::Code(status);
        responses
            .responses
            .insert(status, ReferenceOr::Item(response));
    }
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in codes(spec, &operation) {
        by_status
            .entry(code.status())
            .or_default()
            .push(code.as_str());
    }
    for (status, codes) in by_status {
        let mut response = problem(context, &codes);
        if status == Code::PreconditionFailed.status() {
            tag_header(&mut response);
        }
        responses
            .responses
            .insert(StatusCode::Code(status), ReferenceOr::Item(response));
    }
    operation.responses = Some(responses);
    operation
}

/// The errors of every route of its kind, and of this route.
fn codes(spec: &OperationSpec, operation: &Documented) -> Vec<Code> {
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
            Code::ContentCodingNotRead,
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
    codes
}
