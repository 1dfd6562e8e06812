//! What makes one listing of links differ from another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_domain::{LinkOrder, StatusFilter, Tag};

use crate::sent::options;

/// A listing, as far as a cursor belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Listing {
    pub(super) sort: Sort,
    pub(super) status: Status,
    pub(super) tag: Option<Tag>,
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
}

/// Whether expired links are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Links that still lead somewhere.
    #[default]
    Active,
    /// Links past their expiry.
    Expired,
    /// Both.
    All,
}

options!(Sort, Status);

impl From<Sort> for LinkOrder {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Az => Self::SlugAscending,
            Sort::Za => Self::SlugDescending,
            Sort::Newest => Self::Newest,
            Sort::Oldest => Self::Oldest,
        }
    }
}

impl From<Status> for StatusFilter {
    fn from(status: Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::Expired => Self::Expired,
            Status::All => Self::All,
        }
    }
}
