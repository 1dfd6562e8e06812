//! `/api/stats/…` and `/api/logs/…`

pub(crate) mod counters;
pub(crate) mod erase;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod heatmap;
pub(crate) mod locations;
pub(crate) mod metrics;
pub(crate) mod stream;
pub(crate) mod views;
pub(crate) mod visits;

use slugline_contract::Code;

const TAG: &str = "Analytics";

/// The errors of every query. A query about tags needs every link here.
const FAILS: &[Code] = &[Code::TokenBusy, Code::QueryTimeout, Code::MigrationRequired];
