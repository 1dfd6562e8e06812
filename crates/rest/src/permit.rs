//! Permissions that an instance gives or refuses as a whole.
//!
//! A handler takes one of these as its first argument, before it reads the body.

use std::marker::PhantomData;

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use aide::OperationInput;
use slugline_application::{Error, LinkService};
use slugline_httpkit::Failure;

use crate::extract::state;

/// Links can be used.
pub(crate) type MayUse = May<Use>;
/// Links may be changed here.
pub(crate) type MayEdit = May<Edit>;
/// Links may be deleted here.
pub(crate) type MayDelete = May<Delete>;
/// Links may be imported here.
pub(crate) type MayImport = May<Import>;
/// Links may be exported here.
pub(crate) type MayExport = May<Export>;
/// Links may be checked here.
pub(crate) type MayCheck = May<Check>;
/// Slugs and previews may be suggested here.
pub(crate) type MaySuggest = May<Suggest>;
/// Links may be moved here from an older instance.
pub(crate) type MayMigrate = May<Migrate>;

/// The instance permits this.
pub(crate) struct May<P>(PhantomData<P>);

/// A permission that a handler needs.
pub(crate) trait Permission {
    /// # Errors
    /// The instance does not permit it.
    fn ask(links: &LinkService) -> Result<(), Error>;
}

macro_rules! permissions {
    ($($name:ident: $method:ident,)*) => {$(
        pub(crate) enum $name {}

        impl Permission for $name {
            fn ask(links: &LinkService) -> Result<(), Error> {
                links.$method()
            }
        }
    )*};
}

permissions! {
    Use: may_use,
    Edit: may_edit,
    Delete: may_delete,
    Import: may_import,
    Export: may_export,
    Check: may_check,
    Suggest: may_suggest,
    Migrate: may_migrate,
}

impl<P: Permission> FromRequest for May<P> {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let permitted = P::ask(&state(request).app.links);
        std::future::ready(permitted.map(|()| Self(PhantomData)).map_err(Failure::from))
    }
}

impl<P> OperationInput for May<P> {}
