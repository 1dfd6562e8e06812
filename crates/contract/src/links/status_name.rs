//! The status of a link, as answers name it.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::LinkStatus;

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

impl From<LinkStatus> for StatusName {
    fn from(status: LinkStatus) -> Self {
        match status {
            LinkStatus::Active => Self::Active,
            LinkStatus::Scheduled => Self::Scheduled,
            LinkStatus::Expired => Self::Expired,
            LinkStatus::UsedUp => Self::UsedUp,
            LinkStatus::Disabled => Self::Disabled,
        }
    }
}
