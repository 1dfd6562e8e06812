//! The totals of a day that is over, so that questions need not go through its rows.
//!
//! | module | holds |
//! |---|---|
//! | `values` | visits and visitors of each value of a column |
//! | `count` | the pass over a day that counts them |
//! | `known` | the stored totals of one day |

pub(crate) mod count;
pub(crate) mod known;
pub(crate) mod values;
