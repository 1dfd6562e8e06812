//! `/api/stats/…`

pub(crate) mod counters;
