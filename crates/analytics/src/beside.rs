//! Names of files beside a file.

use std::path::{Path, PathBuf};

/// The path with this suffix.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
