//! The answer that memory keeps for a slug.

use std::sync::Arc;

use slugline_domain::FollowedLink;

use super::freshness::Fresh;

/// The remembered answer for a slug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// This link has the slug.
    Link(Arc<FollowedLink>),
    /// No link has the slug.
    NoLink,
    /// Nothing is remembered: the store has to be asked.
    Nothing,
}

/// A slug's entry of the memory.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) link: Option<Arc<FollowedLink>>,
    pub(super) fresh: Fresh,
}

impl Entry {
    /// The answer of an entry that is not over: `Nothing` if the store failed.
    pub(super) fn recalled(self) -> Recalled {
        match (self.link, self.fresh) {
            (Some(link), _) => Recalled::Link(link),
            (None, Fresh::Stale { .. }) => Recalled::Nothing,
            (None, Fresh::While { .. }) => Recalled::NoLink,
        }
    }
}
