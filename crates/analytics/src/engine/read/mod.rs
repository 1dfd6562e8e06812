//! The way of a question through the rows.

pub(crate) mod background;
pub(crate) mod block;
pub(crate) mod chunk;
pub(crate) mod concealment;
pub(crate) mod daily_visitors;
pub(crate) mod deadline;
pub(crate) mod dictionary;
pub(crate) mod distinct;
pub(crate) mod filter;
pub(crate) mod frequent;
pub(crate) mod groups;
mod link_runs;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod scan;
pub(crate) mod selection;
pub(crate) mod shares;
pub(crate) mod shown_visitors;
pub(crate) mod snapshot;
pub(crate) mod texts;
pub(crate) mod totals;
pub(crate) mod turns;
pub(crate) mod values;
pub(crate) mod visits;
pub(crate) mod wall_clock;
