//! The check that the caller may run an operation and that the instance allows it.

#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

use actix_web::{
    Error,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};
use slugline_application::Access;
use slugline_httpkit::{Failure, caller};

use crate::extract::state;

/// Refuses a request that the caller may not make or that the instance does not allow, before the handler's arguments are
/// extracted.
pub(crate) async fn permit(
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
