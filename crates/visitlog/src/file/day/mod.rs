//! Day totals: the stored counts of a day that is over. With them a question need not scan the
//! day's rows.
//!
//! | module | holds |
//! |---|---|
//! | `values`, `entries` | visits and visitors of each value of a column, and of combinations of values |
//! | `count` | the pass over a day's rows that counts them |
//! | `known` | the stored totals of one day |

pub(crate) mod count;
mod entries;
pub(crate) mod known;
pub(crate) mod values;
