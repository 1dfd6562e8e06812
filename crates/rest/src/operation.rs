//! A route with its handler: mounted and documented from one declaration.

use std::{fmt, sync::Arc};

use actix_web::{FromRequest, Handler, Route, middleware::from_fn};
use aide::{
    OperationInput, OperationOutput,
    generate::GenContext,
    openapi::{Operation as Documented, ReferenceOr, Responses},
};
use slugline_httpkit::Failure;

use crate::{failures, operation_spec::OperationSpec, permit::permit, reply::Reply};

/// A route with its handler.
pub struct Operation {
    pub(crate) spec: OperationSpec,
    pub(crate) document: fn(&OperationSpec, &mut GenContext) -> Documented,
    pub(crate) make: MakeRoute,
}

/// Makes the route anew for each worker.
pub(crate) type MakeRoute = Arc<dyn Fn() -> Route + Send + Sync>;

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
        R: Reply + OperationOutput,
    {
        let method = spec.method.clone();
        let needs = spec.needs;
        let make = move || {
            Route::new()
                .method(method.clone())
                .to(handler.clone())
                .wrap(from_fn(move |request, next| permit(needs, request, next)))
        };
        Self {
            spec,
            document: document::<Args, R>,
            make: Arc::new(make),
        }
    }
}

impl Operation {
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

fn document<Args: OperationInput, R: OperationOutput>(
    spec: &OperationSpec,
    context: &mut GenContext,
) -> Documented {
    let mut operation = Documented::default();
    Args::operation_input(context, &mut operation);
    let mut responses = Responses::default();
    for (status, response) in R::inferred_responses(context, &mut operation) {
        let status = status.expect("every reply names its status");
        responses
            .responses
            .insert(status, ReferenceOr::Item(response));
    }
    failures::document(context, spec, &operation, &mut responses);
    operation.responses = Some(responses);
    operation
}
