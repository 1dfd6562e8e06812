//! Node.js, which runs the official MCP clients and the conformance suite.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::process;

/// The oldest major version that the conformance suite supports; the clients would accept 20.
const OLDEST: u32 = 22;

/// The version to fetch through npm if the machine's own is older, as on Debian 13 and Ubuntu
/// 24.04. The tests look in this folder first.
const NEWER: &str = "node@22";

/// True if Node.js and npm are installed in any version.
pub fn is_installed() -> bool {
    version("node".as_ref()).is_some() && version("npm".as_ref()).is_some()
}

/// A `PATH` whose `node` is new enough; fetches one if necessary.
pub fn path() -> Result<OsString> {
    let inherited = env::var_os("PATH").unwrap_or_default();
    if version("node".as_ref()).is_some_and(|version| is_new_enough(&version)) {
        return Ok(inherited);
    }
    let folder = process::root().join("target/node");
    let programs = folder.join("node_modules/node/bin");
    if version(&programs.join("node")).is_none() {
        println!("installing {NEWER}, because the machine's Node.js is older than {OLDEST}");
        let install = "install --no-save --no-audit --no-fund --prefix";
        let mut npm = process::program("npm");
        process::run(npm.args(install.split(' ')).arg(&folder).arg(NEWER))?;
    }
    prepend(&programs, &inherited)
}

fn prepend(folder: &Path, path: &OsStr) -> Result<OsString> {
    let folders = std::iter::once(PathBuf::from(folder)).chain(env::split_paths(path));
    env::join_paths(folders).context("the path of the workspace cannot stand in PATH")
}

fn version(program: &Path) -> Option<String> {
    process::answer(process::program(program).arg("--version"))
}

fn is_new_enough(version: &str) -> bool {
    major(version).is_some_and(|major| major >= OLDEST)
}

/// `20` of `v20.19.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_version_is_the_first_number() {
        assert_eq!(major("v20.19.2"), Some(20));
        assert_eq!(major("v8.1.0"), Some(8));
        assert_eq!(major("20"), None);
        assert!(is_new_enough("v22.0.0") && !is_new_enough("v20.20.2"));
    }

    #[test]
    fn a_fetched_version_comes_first() {
        let path = prepend(Path::new("/new"), OsStr::new("/old:/older")).unwrap();
        assert_eq!(path, "/new:/old:/older");
    }
}
