//! The visitor of a link, as far as the decision needs.

use crate::{
    Country, PathRest, UnixSeconds,
    routing::{NoFacts, VisitorFacts},
};

/// The facts about a visitor that the decision needs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Visitor<'a> {
    /// The time of the request.
    pub now: UnixSeconds,
    /// The `User-Agent` header, empty if absent. Read only for links that have
    /// a preview or a destination for some devices.
    pub user_agent: &'a str,
    /// The country of the visitor, if it is known without asking the facts.
    pub country: Option<Country>,
    /// The request's query string, without `?`.
    pub query: Option<&'a str>,
    /// What stands behind the slug in the path, for links that pass it on.
    pub rest: Option<PathRest<'a>>,
    /// Facts that only some links ask for.
    pub facts: &'a dyn VisitorFacts,
}

impl<'a> Visitor<'a> {
    /// A visitor of whom nothing is known but the time.
    pub fn new(now: UnixSeconds) -> Self {
        Self {
            now,
            user_agent: "",
            country: None,
            query: None,
            rest: None,
            facts: &NoFacts,
        }
    }

    /// With this `User-Agent` header.
    #[must_use]
    pub fn with_user_agent(mut self, user_agent: &'a str) -> Self {
        self.user_agent = user_agent;
        self
    }

    /// In this country.
    #[must_use]
    pub fn with_country(mut self, country: impl Into<Option<Country>>) -> Self {
        self.country = country.into();
        self
    }

    /// With this query string, without `?`.
    #[must_use]
    pub fn with_query(mut self, query: impl Into<Option<&'a str>>) -> Self {
        self.query = query.into();
        self
    }

    /// With this behind the slug.
    #[must_use]
    pub fn with_rest(mut self, rest: impl Into<Option<PathRest<'a>>>) -> Self {
        self.rest = rest.into();
        self
    }

    /// With these facts, for links that ask for them.
    #[must_use]
    pub fn with_facts(mut self, facts: &'a dyn VisitorFacts) -> Self {
        self.facts = facts;
        self
    }

    /// The visitor's country: the known one, else by the facts.
    pub(crate) fn country(&self) -> Option<Country> {
        self.country.or_else(|| self.facts.country())
    }
}
