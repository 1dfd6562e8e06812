//! Day totals: the stored counts of a day that is over. With them a question need not scan the
//! day's rows.
//!
//! | module | holds |
//! |---|---|
//! | `values` | visits and visitors of each value of a column |
//! | `count` | the pass over a day's rows that counts them |
//! | `known` | the stored totals of one day |

pub(crate) mod count;
pub(crate) mod known;
pub(crate) mod values;
