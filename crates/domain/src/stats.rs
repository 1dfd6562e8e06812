//! Questions about visits and their answers.

use crate::{LinkId, SamplingNote, UnixSeconds};

/// A property of a visit that questions can filter or group by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The slug at the time of the visit.
    Slug,
    /// The link's main destination at the time of the visit.
    Url,
    /// The raw `User-Agent`.
    UserAgent,
    /// An opaque token for the visitor's address.
    Ip,
    /// Host, and port if any, of the referring page; empty when there is none.
    Referer,
    /// Country code.
    Country,
    /// Region with its country.
    Region,
    /// City with its country.
    City,
    /// IANA time zone of the visitor's place.
    Timezone,
    /// First language of `Accept-Language`.
    Language,
    /// Operating system.
    Os,
    /// Browser name.
    Browser,
    /// Kind of browser: empty for ordinary ones, else `crawler`, `cli`, ….
    BrowserType,
    /// Device model.
    Device,
    /// Kind of device: empty on desktops.
    DeviceType,
    /// Data centre code of the edge network in front.
    Colo,
    /// Latitude in degrees.
    Latitude,
    /// Longitude in degrees.
    Longitude,
}

/// Which visits a question is about: those that meet every condition. A
/// condition is met by any of its values; an empty one is no condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitFilter {
    /// First second, inclusive.
    pub from: Option<UnixSeconds>,
    /// Last second, inclusive.
    pub until: Option<UnixSeconds>,
    /// Links by identity.
    pub links: Vec<LinkId>,
    /// Exact values of dimensions.
    pub values: Vec<(Dimension, Vec<String>)>,
}

/// The question for totals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountersQuery {
    /// Which visits.
    pub filter: VisitFilter,
    /// One row per link instead of one for all.
    pub per_link: bool,
}

/// Totals over some visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Visits: the sum of sampling intervals.
    pub visits: u64,
    /// Distinct visitors per salt period, estimated from the rows that were
    /// kept coherently per visitor.
    pub visitors: u64,
    /// Distinct referring hosts among the stored rows; a lower bound when
    /// sampled. A missing referer is not a host.
    pub referers: u64,
}

/// One row of totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterRow {
    /// The link, when the question asked per link.
    pub link: Option<LinkId>,
    /// Its totals.
    pub counters: Counters,
}

/// The answer: one row for all visits, or one per link that has visits,
/// ordered by link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountersReport {
    /// The rows.
    pub rows: Vec<CounterRow>,
    /// How far they can be trusted.
    pub sampling: SamplingNote,
}
