//! Visits in files: CSV or a JSON object per line, and both with gzip.

mod file;
mod read;
mod write;

pub use self::{
    file::{ExportVisits, VisitFile, VisitFormat},
    read::{ReadVisitsError, read_visits},
    write::VisitText,
};
