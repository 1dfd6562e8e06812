//! Answers questions.
//!
//! | module | holds |
//! |---|---|
//! | `questions` | runs questions of async code, each on a thread of its own |
//! | `filter`, `concealment`, `plan`, `scan` | the conditions on rows; hidden destinations; the days to take from totals and the chunks to scan; the pass over the rows |
//! | `totals`, `distinct`, `groups`, `frequent`, `bounded_groups`, `shown_visitors` | the counters and groups of a pass |
//! | `answer` | rows, with their accuracy |
//! | `counters`, `views`, `metrics`, `events`, `link_totals`, `sorted_rows`, `visits` | the questions: over time and by hour of the week in one file, values and places in one, each other in its own |

pub(crate) mod answer;
pub(crate) mod bounded_groups;
pub(crate) mod concealment;
pub(crate) mod counters;
pub(crate) mod distinct;
pub(crate) mod events;
pub(crate) mod filter;
pub(crate) mod frequent;
pub(crate) mod groups;
pub(crate) mod link_totals;
pub(crate) mod metrics;
pub(crate) mod plan;
pub(crate) mod questions;
pub(crate) mod scan;
pub(crate) mod shown_visitors;
pub(crate) mod sorted_rows;
pub(crate) mod totals;
pub(crate) mod views;
pub(crate) mod visits;
