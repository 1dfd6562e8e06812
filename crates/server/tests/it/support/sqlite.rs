//! An SQLite file of the service, read and changed as a stranger would.

use std::{path::Path, process::Command};

/// Executes statements in the file. Returns the first value of the last one, if there is any.
pub(crate) fn execute(file: &Path, statements: &str) -> String {
    const SCRIPT: &str = "import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
*changes, last = sys.argv[2].split(';;')
for change in changes: db.executescript(change)
row = db.execute(last).fetchone()
print(row[0] if row else '')
db.commit()
db.execute('PRAGMA wal_checkpoint(TRUNCATE)')
db.close()";
    let mut python = Command::new("python3");
    let output = python
        .args(["-c", SCRIPT])
        .arg(file)
        .arg(statements)
        .output()
        .unwrap();
    assert!(output.status.success(), "{statements}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
