//! All use cases of an instance, for the adapters that offer them.

use std::sync::Arc;

use crate::{
    LinkChecker, LinkLists, LinkMigration, LinkService, LiveVisits, StatsService, Suggestions,
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
    /// Suggests slugs and previews.
    pub suggestions: Suggestions,
    /// Moves links here.
    pub migration: LinkMigration,
    /// Answers questions about visits.
    pub stats: StatsService,
    /// Sends stored visits to watchers.
    pub live: Arc<LiveVisits>,
}
