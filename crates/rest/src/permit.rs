//! The check that the instance allows an operation.

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
use slugline_httpkit::Failure;

use crate::extract::state;

/// Refuses a request that the instance does not allow, before the handler's arguments are
/// extracted.
pub(crate) async fn permit(
    needs: Access,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match state(request.request()).app.links.permit(needs) {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(error) => Ok(request.error_response(Failure::from(error))),
    }
}
