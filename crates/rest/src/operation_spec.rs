//! A route as its file declares it.

use actix_web::http::Method;
use slugline_application::Access;
use slugline_contract::Code;

/// The facts about a route that its handler's signature does not show.
#[derive(Clone, Debug)]
pub(crate) struct OperationSpec {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// Noun, then verb: `link_create`.
    pub(crate) id: &'static str,
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    /// The access rule; checked before any input is read.
    pub(crate) needs: Access,
    /// Error codes beyond those that follow from `needs` and those of every route of its
    /// kind.
    pub(crate) fails: &'static [Code],
}
