//! The lease and the round of the watch of destinations: one row.

use sea_orm::entity::prelude::*;
use slugline_domain::{UnixMillis, WatchRound};

table! {
    "watch_round",
    #[sea_orm(primary_key, auto_increment = false)]
    id: i64,
    /// The watcher that has the lease, or had it.
    watcher: i64,
    /// Milliseconds.
    leased_until: i64,
    /// Milliseconds; null before the first round.
    started_at: Option<i64>,
    position: i64,
}

impl Model {
    pub(crate) fn round(&self) -> Option<WatchRound> {
        Some(WatchRound {
            started_at: UnixMillis::new(self.started_at?),
            position: self.position,
        })
    }
}
