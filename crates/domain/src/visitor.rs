//! The visitor of a link, as far as the decision needs.

use crate::{Country, PathRest, UnixSeconds, routing::VisitorFacts};

/// The facts about a visitor that the decision needs.
#[derive(Clone, Copy, Debug)]
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
    /// The rest of the path behind the slug, for links that pass it on.
    pub rest: Option<PathRest<'a>>,
    /// Facts that only some links ask for.
    pub facts: &'a dyn VisitorFacts,
}

impl Visitor<'_> {
    /// The visitor's country: the known one, else by the facts.
    pub(crate) fn country(&self) -> Option<Country> {
        self.country.or_else(|| self.facts.country())
    }
}
