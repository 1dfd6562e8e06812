//! The store of the watch of destinations.

use std::{collections::HashMap, fmt};

use async_trait::async_trait;

use crate::{
    DueLink, Enrolment, Failing, Link, LinkId, UnixMillis, WatchClaim, WatchNews, Watched,
    ports::links::StoreError,
};

/// Keeps the timetable of the watch of destinations, and what it found, beside the links. Each
/// method is one transaction. None touches a link, its revision or the audit trail; what is kept of
/// a link goes with it.
#[async_trait]
pub trait WatchStore: fmt::Debug + Send + Sync {
    /// Puts links on the timetable that are not on it. Looks at links after a position, at no more
    /// than there are `moments`; each link that it puts there takes the next of these for its first
    /// request. The first position is 0; there, requests that were to come after `latest` come at
    /// the first of the moments: the time between requests was longer, or a clock was wrong.
    /// Several nodes may call it at once.
    async fn enrol(
        &self,
        after: i64,
        moments: &[UnixMillis],
        latest: UnixMillis,
    ) -> Result<Enrolment, StoreError>;

    /// Claims links that are due, at most `limit`, those that have waited longest first. Of one
    /// [host](crate::watch::host_to_ask) it claims one link, and none while anybody has a claim to
    /// another, or it [rests](Watched::rests_until). Several nodes may call it at once.
    async fn claim(
        &self,
        now: UnixMillis,
        until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<DueLink>, StoreError>;

    /// Keeps what came of a claim, and gives the claim up. Returns false, and keeps nothing, if
    /// somebody else has claimed the link since, or it is gone.
    async fn record(&self, claim: &WatchClaim, found: &Watched) -> Result<bool, StoreError>;

    /// Those of these links whose destination is broken, and the failures. Failures of a
    /// destination that the link had before do not count.
    async fn broken(&self, links: &[&Link]) -> Result<HashMap<LinkId, Failing>, StoreError>;
}

/// Hears of news about destinations. It must neither wait nor fail.
pub trait WatchObserver: fmt::Debug + Send + Sync {
    /// The destination of a link broke, or answers again. The failures are those that it has, or
    /// those that it had.
    fn news(&self, news: WatchNews, link: &Link, failing: &Failing);
}
