//! The totals of a day that is over, so that questions need not go through its rows.
//!
//! | module | holds |
//! |---|---|
//! | `moments` | visits and visitors by the quarter of an hour |
//! | `values` | visits and visitors of each value of a column |
//! | `skewed` | lists of numbers most of which are small |
//! | `count` | the pass over a day that works both out |
//! | `known` | the days that a question takes from totals |

pub(crate) mod count;
pub(crate) mod known;
pub(crate) mod moments;
pub(crate) mod skewed;
#[cfg(test)]
mod tests;
pub(crate) mod values;
