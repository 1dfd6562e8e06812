//! Visits in files: CSV or a JSON object per line, and both with gzip.

mod columns;
mod file;
mod read;
mod request;
mod write;

pub use self::{
    file::{VisitFile, VisitFormat},
    read::{ReadVisitsError, read_visits},
    request::ExportVisits,
    write::VisitText,
};
