//! The parameters that distinguish listings of links: order, status and tag.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_domain::{
    DomainName, LinkFilter, LinkKey, LinkOrder, LinkStatus, SearchText, StatusFilter, Tag,
};

use crate::sent::options;

/// The part of a listing that a cursor is bound to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Listing {
    /// `None` for all.
    pub(super) domain: Option<DomainName>,
    pub(super) sort: Sort,
    pub(super) status: Status,
    pub(super) tag: Option<Tag>,
    pub(super) text: Option<SearchText>,
    pub(super) keys: Option<Vec<LinkKey>>,
}

/// Every active link of the default domain.
impl Default for Listing {
    fn default() -> Self {
        Self {
            domain: Some(DomainName::DEFAULT),
            sort: Sort::default(),
            status: Status::default(),
            tag: None,
            text: None,
            keys: None,
        }
    }
}

impl Listing {
    /// Returns the filter for the listed links.
    pub(super) fn filter(&self) -> LinkFilter {
        // The use case narrows it to the caller.
        LinkFilter {
            text: self.text.clone(),
            tag: self.tag.clone(),
            domain: self.domain.clone(),
            keys: self.keys.clone(),
            status: self.status.into(),
            ..LinkFilter::default()
        }
    }
}

/// Order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// By slug.
    Az,
    /// By slug, backwards.
    Za,
    /// Latest first.
    #[default]
    Newest,
    /// Earliest first.
    Oldest,
    /// Most visits first.
    Visits,
}

/// The links meant, by their status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Links that are not over: active, scheduled and disabled ones.
    #[default]
    Current,
    /// Links that lead to their destination now.
    Active,
    /// Links before their start.
    Scheduled,
    /// Links past their expiry.
    Expired,
    /// Links that had their last visit.
    UsedUp,
    /// Links that are hidden from visitors.
    Disabled,
    /// Links whose destination failed at least twice in a row, where destinations are watched.
    Broken,
    /// Every link.
    All,
}

options!(Sort, Status);

impl Sort {
    /// Returns the order of the link store; `None` for the order by visits, which the
    /// store does not know.
    pub(super) fn stored(self) -> Option<LinkOrder> {
        match self {
            Self::Az => Some(LinkOrder::SlugAscending),
            Self::Za => Some(LinkOrder::SlugDescending),
            Self::Newest => Some(LinkOrder::Newest),
            Self::Oldest => Some(LinkOrder::Oldest),
            Self::Visits => None,
        }
    }
}

impl From<Status> for StatusFilter {
    fn from(status: Status) -> Self {
        match status {
            Status::Current => Self::Current,
            Status::Active => Self::Only(LinkStatus::Active),
            Status::Scheduled => Self::Only(LinkStatus::Scheduled),
            Status::Expired => Self::Only(LinkStatus::Expired),
            Status::UsedUp => Self::Only(LinkStatus::UsedUp),
            Status::Disabled => Self::Only(LinkStatus::Disabled),
            Status::Broken => Self::Broken,
            Status::All => Self::All,
        }
    }
}
