//! The dependencies of following a link.

use std::{fmt, sync::Arc};

use actix_web::{HttpRequest, HttpResponse};
use slugline_application::{Gatekeeper, Resolver};
use slugline_domain::{
    InstanceDefaults,
    ports::{Clock, VisitSink},
};
use slugline_httpkit::{Edge, Problem};

use crate::{
    answer,
    asked_domain::AskedDomain,
    options::RedirectOptions,
    outcome::{Outcome, Outcomes},
    proxy::Proxying,
};

/// The dependencies of following a link.
#[derive(Debug)]
pub struct Redirects {
    /// Tells where visitors come from, and the origin under which they see the service.
    pub edge: Arc<Edge>,
    /// Finds links by slug.
    pub resolver: Arc<Resolver>,
    /// Checks visitors' passwords.
    pub gatekeeper: Arc<Gatekeeper>,
    /// Records visits.
    pub visits: Arc<dyn VisitSink>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Fetches the destinations of proxied links; without it, those links
    /// redirect.
    pub proxying: Option<Proxying>,
    /// Finds the new addresses of paths that have moved.
    pub moved: Option<Moved>,
    /// The settings of the public side.
    pub options: RedirectOptions,
    /// Counts the outcomes of visits.
    pub outcomes: Outcomes,
}

impl Redirects {
    /// Shows a problem with a visitor's request: a page to people, JSON to programs.
    pub fn refuse(&self, problem: &Problem, request: &HttpRequest) -> HttpResponse {
        self.outcomes.count(Outcome::of(problem));
        let domain = self.asked_domain(request);
        answer::problem(problem, request, &self.edge, &self.options, &domain)
    }

    /// The domain that a request is for.
    pub(crate) fn asked_domain(&self, request: &HttpRequest) -> AskedDomain {
        AskedDomain::of(request, &self.edge, self.resolver.domains())
    }

    pub(crate) fn rules(&self) -> InstanceDefaults {
        InstanceDefaults {
            with_query: self.options.with_query,
            proxying: self.proxying.is_some(),
        }
    }
}

/// Finds the new address of a path that has moved, and that no link has as its slug.
#[derive(Clone)]
pub struct Moved(Arc<Find>);

type Find = dyn Fn(&str, Option<&str>) -> Option<String> + Send + Sync;

impl Moved {
    /// Asks `find`, which takes the path and its query.
    pub fn new(
        find: impl Fn(&str, Option<&str>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(find))
    }

    pub(crate) fn address(&self, path: &str, query: Option<&str>) -> Option<String> {
        (self.0)(path, query)
    }
}

impl fmt::Debug for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moved").finish_non_exhaustive()
    }
}
