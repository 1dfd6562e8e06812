//! One HTTP request to the endpoint, as far as the protocol cares.

use slugline_domain::ProbeCaller;

use crate::Server;

/// What the protocol reads of a request's headers.
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
    pub(crate) origin: &'a str,
    /// What checked destinations may be told of the client.
    pub(crate) caller: &'a ProbeCaller,
}
