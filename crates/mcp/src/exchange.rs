//! The parts of an HTTP request that the protocol reads.

use slugline_application::Caller;
use slugline_domain::{Author, ProbeCaller};
use slugline_httpkit::Origin;

use crate::server::Server;

/// The headers that the protocol reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers {
    pub(crate) accept: Option<String>,
    pub(crate) protocol_version: Option<String>,
    pub(crate) method: Option<String>,
    pub(crate) name: Option<String>,
}

/// One HTTP request to the endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Exchange<'a> {
    pub(crate) server: &'a Server,
    pub(crate) headers: &'a Headers,
    /// The public origin of the service, for short links in results.
    pub(crate) origin: &'a Origin,
    /// The origin of the dashboard.
    pub(crate) dashboard: &'a Origin,
    /// The caller, by the token of the request.
    pub(crate) caller: &'a Caller,
    /// The author of the changes that the request makes.
    pub(crate) author: &'a Author,
    /// The facts about the client that checked destinations get.
    pub(crate) client: &'a ProbeCaller,
}
