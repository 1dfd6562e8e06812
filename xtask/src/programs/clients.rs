//! Packages from npm: the official MCP clients that the end-to-end tests drive.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::process;

/// Installs the clients' packages from npm, unless they are current.
pub fn install() -> Result<()> {
    let folder = process::root().join("crates/server/tests/mcp-clients");
    install_in(&folder, "the MCP clients")
}

/// Installs the packages that this folder names, unless they are current.
pub fn install_in(folder: &Path, content: &str) -> Result<()> {
    if !is_current(folder) {
        println!("installing {content}");
        process::run(
            process::program("npm")
                .args(["ci", "--no-audit", "--no-fund"])
                .current_dir(folder),
        )?;
    }
    Ok(())
}

/// True if npm has finished installing since the lock file changed.
///
/// npm writes the second file last. Switching to a branch with another lock file updates the
/// time of the first.
fn is_current(folder: &Path) -> bool {
    let changed = |path: &str| {
        fs::metadata(folder.join(path))
            .and_then(|file| file.modified())
            .ok()
    };
    let locked = changed("package-lock.json");
    locked.is_some() && changed("node_modules/.package-lock.json") >= locked
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    #[test]
    fn packages_are_current_until_the_lock_file_is_newer() {
        let folder = env::temp_dir().join(format!("slugline-clients-{}", std::process::id()));
        fs::create_dir_all(folder.join("node_modules")).unwrap();
        let lock = File::create(folder.join("package-lock.json")).unwrap();
        assert!(!is_current(&folder), "nothing is installed");

        let installed = File::create(folder.join("node_modules/.package-lock.json")).unwrap();
        let then = lock.metadata().unwrap().modified().unwrap();
        installed.set_modified(then).unwrap();
        assert!(is_current(&folder));

        lock.set_modified(then + Duration::from_secs(1)).unwrap();
        assert!(!is_current(&folder), "the lock file changed");
        fs::remove_dir_all(folder).unwrap();
    }
}
