//! What an instance forbids as a whole, decided before a body is looked at.

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use aide::OperationInput;
use slugline_httpkit::Failure;

use crate::extract::services;

/// Links can be used. To be taken before whatever else a request holds.
pub(crate) struct MayUse;

/// Links may be changed here. To be taken before the body.
pub(crate) struct MayEdit;

/// Links may be deleted here. To be taken before the body.
pub(crate) struct MayDelete;

/// Links may be imported here. To be taken before the body.
pub(crate) struct MayImport;
impl FromRequest for MayUse {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let permitted = services(request).links.may_use();
        std::future::ready(permitted.map(|()| Self).map_err(Failure::from))
    }
}

impl FromRequest for MayEdit {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let permitted = services(request).links.may_edit();
        std::future::ready(permitted.map(|()| Self).map_err(Failure::from))
    }
}

impl FromRequest for MayDelete {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let permitted = services(request).links.may_delete();
        std::future::ready(permitted.map(|()| Self).map_err(Failure::from))
    }
}

impl FromRequest for MayImport {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let permitted = services(request).links.may_import();
        std::future::ready(permitted.map(|()| Self).map_err(Failure::from))
    }
}

impl OperationInput for MayUse {}
impl OperationInput for MayEdit {}
impl OperationInput for MayDelete {}
impl OperationInput for MayImport {}
