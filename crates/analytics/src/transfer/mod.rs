//! Visits from files or from an embedded log. An engine gets each visit once, even if a process is
//! killed and starts again.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | digests that tell one file from another, batch by batch |
//! | `marks` | the number of a file's visits that are stored, in the same transaction as the rows |
//! | `import` | visits of a file, and the port of the engine that takes them |
//! | `passage` | the port of the engine that an embedded log moves to |
//! | `error` | errors |

pub mod error;
pub mod import;
pub mod marks;
pub mod passage;
pub mod plan;

pub use {
    error::TransferError,
    import::{ImportBatch, Imported, Intake, VisitImport},
    passage::{Parcel, Passage},
    plan::{ImportPlan, ImportPlanner},
};
