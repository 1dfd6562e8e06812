//! From a path to a working engine.

use std::{path::Path, sync::Arc};

use slugline_analytics::{
    OpenError, QueryLimits, Recorder, RecorderOptions, RecorderPorts, journal::lock, tally::Tally,
};

use crate::{
    file::{embedded_rows::EmbeddedRows, schema},
    log::EmbeddedLog,
};

/// Opens the access log at `path`, creating the file if there is none, and starts the recorder.
/// The log answers questions with the default [`QueryLimits`].
///
/// # Errors
/// The file cannot be opened, is not an access log, or was written by a newer version; or no
/// thread can be started.
pub fn start(
    path: &Path,
    options: RecorderOptions,
    ports: RecorderPorts,
) -> Result<(Recorder, EmbeddedLog), OpenError> {
    let tally = Arc::new(Tally::default());
    let log = EmbeddedLog::new(path, QueryLimits::default(), Arc::clone(&tally));
    let lock = lock::share(path)?;
    let db = schema::open_writer(path)?;
    let rows = Box::new(EmbeddedRows::new(&options, log.turns()).with_lock(lock));
    let recorder = Recorder::over((path, db), rows, options, ports, tally)?;
    Ok((recorder, log))
}
