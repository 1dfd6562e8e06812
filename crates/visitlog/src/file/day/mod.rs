//! Day totals: the stored counts of a day that is over. With them a question need not scan the
//! day's rows.
//!
//! | module | holds |
//! |---|---|
//! | `segment` | the visits that totals are of: all of a day, people's, or those of bots |
//! | `values`, `entries` | visits and visitors of each value of a column, and of combinations of values |
//! | `count` | the pass over a day's rows that counts them |
//! | `known` | the stored totals of one day |

pub(crate) mod count;
mod entries;
pub(crate) mod known;
pub(crate) mod segment;
pub(crate) mod values;
