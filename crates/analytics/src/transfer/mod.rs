//! Visits that come from files or from an embedded log: each comes once, also when a process is
//! killed in the middle and begins again.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | what tells one file from another, batch by batch |
//! | `marks` | how much of a file is in, in the same transaction as its rows |
//! | `import` | visits of a file, into an embedded log or through a spool |
//! | `leaving` | visits between an embedded log and a spool |
//! | `moving` | the visits of an embedded log, into ClickHouse |
//! | `error` | errors |

mod error;
mod import;
mod leaving;
mod marks;
mod moving;
mod plan;
#[cfg(test)]
pub(crate) mod tests;

pub use error::TransferError;
pub use import::{ImportTarget, Imported, VisitImport};
pub(crate) use leaving::{copy_arrived, copy_leaving};
pub(crate) use marks::copy_marks;
pub use moving::{Moved, history_in, move_history};
pub use plan::{ImportPlan, ImportPlanner};

/// The statements that make the tables that an access log has only after an import or a move.
pub(crate) const TABLES: [&str; 2] = [marks::TABLE, leaving::LEAVING];
