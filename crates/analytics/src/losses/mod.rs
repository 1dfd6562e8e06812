//! Visits that were never stored, by their time. An answer about last week is not exact if visits
//! of last week are missing.
//!
//! | module | holds |
//! |---|---|
//! | `loss` | the number of visits that were lost in a range of minutes |
//! | `known` | the losses of this process that are not in the database yet |
//! | `table` | the losses in the database |
//! | `file` | the losses beside the database, while it accepts none |

mod file;
mod known;
mod loss;
pub mod table;

pub(crate) use file::LossFile;
pub use known::Losses;
pub use loss::{Loss, among};
