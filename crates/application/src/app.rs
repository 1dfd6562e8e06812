//! All use cases of an instance, for the adapters that offer them.

use std::sync::Arc;

use crate::{
    access::Access,
    audit::AuditService,
    caller::Caller,
    domains::Domains,
    erasure::VisitErasures,
    error::Error,
    links::{LinkChecker, LinkService},
    lists::LinkLists,
    live_visits::LiveVisits,
    migration::LinkMigration,
    stats::StatsService,
    tokens::Tokens,
};

/// All use cases of an instance. Adapters share one in an [`Arc`]. It holds no
/// limits of a wire format: those belong to the adapters.
#[derive(Debug)]
pub struct App {
    /// Use cases of links.
    pub links: LinkService,
    /// Lists links, also by their visits.
    pub lists: LinkLists,
    /// Checks whether destinations answer.
    pub checks: LinkChecker,
    /// Moves links here.
    pub migration: LinkMigration,
    /// Reads the audit trail.
    pub audit: AuditService,
    /// Answers questions about visits.
    pub stats: StatsService,
    /// Erases visits.
    pub erasures: VisitErasures,
    /// Sends stored visits to watchers.
    pub live: Arc<LiveVisits>,
    /// Lists, makes and revokes named tokens.
    pub tokens: Tokens,
    /// Lists, names and takes away domains.
    pub domains: Domains,
}

impl App {
    /// Checks that the caller may run an operation and that the instance allows it. Adapters
    /// call it before they read an input.
    ///
    /// # Errors
    /// The caller's token lacks the scope, links still have to be moved here, or the instance is
    /// in preview mode.
    pub fn permit(&self, caller: &Caller, needs: Access) -> Result<(), Error> {
        if let Some(scope) = needs.scope() {
            caller.may(scope)?;
        }
        self.links.permit(needs)
    }
}
