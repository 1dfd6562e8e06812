//! The dependencies of following a link.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse};
use slugline_application::{Gatekeeper, Resolver};
use slugline_domain::{
    InstanceRules,
    ports::{Clock, VisitSink},
};
use slugline_httpkit::Problem;

use crate::{
    answer,
    options::RedirectOptions,
    outcome::{Outcome, Outcomes},
    proxy::Proxying,
};

/// The dependencies of following a link.
#[derive(Debug)]
pub struct Redirects {
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
    /// Returns the new address of a path and its query, if no link has the path as its
    /// slug and the path has moved.
    pub moved: fn(&str, Option<&str>) -> Option<String>,
    /// The settings of the public side.
    pub options: RedirectOptions,
    /// Counts the outcomes of visits.
    pub outcomes: Outcomes,
}

impl Redirects {
    /// Shows a problem with a visitor's request: a page to people, JSON to programs.
    pub fn refuse(&self, problem: &Problem, request: &HttpRequest) -> HttpResponse {
        self.outcomes.count(Outcome::of(problem));
        answer::problem(problem, request, &self.options)
    }

    pub(crate) fn rules(&self) -> InstanceRules {
        InstanceRules {
            with_query: self.options.with_query,
            proxying: self.proxying.is_some(),
        }
    }
}
