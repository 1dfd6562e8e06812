//! The state of a link in answers: its status, and a broken destination.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::{BadAnswer, Failing, LinkStatus};

use crate::sent::same_variants;

/// The status of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StatusName {
    /// It leads to its destination.
    Active,
    /// Its start has not come.
    Scheduled,
    /// Its expiry has passed.
    Expired,
    /// It has had its last visit.
    UsedUp,
    /// It is hidden from visitors.
    Disabled,
}

impl StatusName {
    /// The status, unless the link is active: most are.
    pub(super) fn unless_active(status: LinkStatus) -> Option<Self> {
        (status != LinkStatus::Active).then(|| status.into())
    }
}

same_variants!(LinkStatus => StatusName: Active, Scheduled, Expired, UsedUp, Disabled);

/// A destination that failed at least twice in a row.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Broken")]
pub struct BrokenView {
    /// The first failure, in Unix seconds.
    pub since: i64,
    /// The latest one, in Unix seconds.
    pub checked_at: i64,
    /// The HTTP status of the latest answer; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why there was no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<&Failing> for BrokenView {
    fn from(failing: &Failing) -> Self {
        let (status, error) = match &failing.answer {
            BadAnswer::Status(status) => (Some(*status), None),
            BadAnswer::Nothing(reason) => (None, Some(reason.to_string())),
        };
        Self {
            since: failing.since.get(),
            checked_at: failing.checked_at.get(),
            status,
            error,
        }
    }
}
