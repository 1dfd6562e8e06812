//! The embedded log without totals of days: each question goes through the visits.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use xtask::process;

/// Deletes the totals and marks each day as one whose counts end the process, which the log does
/// not count again.
const WITHOUT_TOTALS: &str = "
import sqlite3, sys
log = sqlite3.connect(sys.argv[1])
log.execute('DELETE FROM day_totals')
log.execute('INSERT INTO day_totals (day, segment, claim, n) SELECT DISTINCT day, 0, 1, 1000000 FROM chunk')
log.commit()
log.execute('PRAGMA wal_checkpoint(TRUNCATE)')
";

/// A data folder with a copy of the log.
pub(super) fn copy(log: &Path, folder: &Path) -> Result<PathBuf> {
    let copy = folder.join("analytics.db");
    for end in ["", "-wal"] {
        let from = log.join(format!("analytics.db{end}"));
        if from.exists() {
            fs::copy(&from, folder.join(format!("analytics.db{end}")))
                .with_context(|| format!("{} cannot be copied", from.display()))?;
        }
    }
    let mut python = process::program("python3");
    process::run(python.args(["-c", WITHOUT_TOTALS]).arg(&copy))?;
    Ok(folder.to_owned())
}
