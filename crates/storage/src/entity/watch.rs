//! The failures that the watch of destinations found.

use sea_orm::entity::prelude::*;
use slugline_domain::{BadAnswer, Failing, UnixSeconds};

table! {
    /// The failures of one link.
    "link_failures",
    #[sea_orm(primary_key, auto_increment = false)]
    link_id: String,
    /// The destination that failed.
    destination: String,
    since: i64,
    checked_at: i64,
    times: i64,
    status: Option<i64>,
    reason: Option<String>,
}

impl Model {
    /// The failures of this destination; `None` if another one failed.
    pub(crate) fn failing(&self, destination: &str) -> Option<Failing> {
        if self.destination != destination {
            return None;
        }
        let status = self.status.and_then(|status| u16::try_from(status).ok());
        Some(Failing {
            since: UnixSeconds::new(self.since).ok()?,
            checked_at: UnixSeconds::new(self.checked_at).ok()?,
            times: u32::try_from(self.times).ok()?,
            answer: match status {
                Some(status) => BadAnswer::Status(status),
                None => BadAnswer::nothing(self.reason.as_deref().unwrap_or_default()),
            },
        })
    }
}
