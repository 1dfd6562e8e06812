//! Visits that come from files or from an embedded log: each comes once, also when a process is
//! killed in the middle and begins again.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | what tells one file from another, batch by batch |
//! | `marks` | how much of a file is in, in the same transaction as its rows |
//! | `import` | visits of a file, and the port of the engine that takes them |
//! | `passage` | the port of the engine that an embedded log moves to |
//! | `error` | errors |

pub mod error;
pub mod import;
pub mod marks;
pub mod passage;
pub mod plan;

pub use crate::transfer::{
    error::TransferError,
    import::{ImportBatch, Imported, Intake, VisitImport},
    passage::{Parcel, Passage},
    plan::{ImportPlan, ImportPlanner},
};
