//! Answers questions.
//!
//! | module | holds |
//! |---|---|
//! | `questions` | runs questions of async code, each on a thread of its own |
//! | `filter`, `concealment`, `plan`, `scan` | the conditions on rows; hidden destinations; the days to take from totals and the chunks to scan; the pass over the rows |
//! | `totals`, `distinct`, `groups`, `frequent`, `first`, `shares`, `shown_visitors`, `wall_clock` | the counters and groups of a pass |
//! | `answer` | rows, with their accuracy |
//! | `counters`, `views`, `heatmap`, `metrics`, `locations`, `events`, `link_totals`, `sorted_rows`, `visits` | one file for each question |

pub(crate) mod answer;
pub(crate) mod concealment;
pub(crate) mod counters;
pub(crate) mod distinct;
pub(crate) mod events;
pub(crate) mod filter;
pub(crate) mod first;
pub(crate) mod frequent;
pub(crate) mod groups;
pub(crate) mod heatmap;
pub(crate) mod link_totals;
pub(crate) mod locations;
pub(crate) mod metrics;
pub(crate) mod plan;
pub(crate) mod questions;
pub(crate) mod scan;
pub(crate) mod shares;
pub(crate) mod shown_visitors;
pub(crate) mod sorted_rows;
pub(crate) mod totals;
pub(crate) mod views;
pub(crate) mod visits;
pub(crate) mod wall_clock;
