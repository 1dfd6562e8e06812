//! The way of a question through the rows.
//!
//! | module | holds |
//! |---|---|
//! | `questions` | questions from async code, each on a thread of its own |
//! | `filter`, `concealment`, `plan`, `scan` | the conditions on rows; hidden destinations; what is taken from totals of days and what is scanned; the pass over the rows |
//! | `totals`, `distinct`, `groups`, `frequent`, `first`, `shares`, `shown_visitors`, `wall_clock` | what a pass counts with |
//! | `answer` | rows, and what they rest on |
//! | `counters`, `views`, `heatmap`, `metrics`, `locations`, `events`, `link_totals`, `sorted_rows`, `unrecorded`, `visits` | the questions, one each |

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
pub(crate) mod unrecorded;
pub(crate) mod views;
pub(crate) mod visits;
pub(crate) mod wall_clock;
