//! The store of the watch of destinations.

use std::{collections::HashMap, fmt};

use async_trait::async_trait;

use crate::{
    Failing, Link, LinkId, UnixMillis, UnixSeconds, WatchLease, WatchNews, WatchRound, WatchTurn,
    WatchedPiece, ports::links::StoreError,
};

/// Keeps the lease and the round of the watch of destinations, and the failures that it found, beside
/// the links. Each method is one transaction. None touches a link, its revision or the audit trail;
/// what is kept of a link goes with it.
#[async_trait]
pub trait WatchStore: fmt::Debug + Send + Sync {
    /// Gives the watcher the lease: if no other has it at `now`, or, with a `round`, if it has had
    /// it since. Then the round is kept. Returns `None`, and keeps nothing, if another has the lease.
    async fn lead(
        &self,
        lease: WatchLease,
        now: UnixMillis,
        round: Option<WatchRound>,
    ) -> Result<Option<WatchTurn>, StoreError>;

    /// The links whose number is above `after` and at most `until`, by number, and before them those
    /// whose first failure was found at `failed_until` or earlier; no more than `limit` of each. The
    /// former are without links that failed once: their time comes later.
    async fn due(
        &self,
        after: i64,
        until: i64,
        failed_until: UnixSeconds,
        limit: u32,
    ) -> Result<WatchedPiece, StoreError>;

    /// Keeps the failures of the destination of a link, in place of those before. Returns false, and
    /// keeps nothing, if another watcher has taken the lease, or the link is gone or leads elsewhere.
    async fn record(
        &self,
        watcher: i64,
        link: &Link,
        failing: Option<&Failing>,
    ) -> Result<bool, StoreError>;

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
