//! Python, which runs the official MCP clients of that language, and ClickHouse and DuckDB
//! as libraries.

use std::{fs, path::Path};

use anyhow::Result;

use crate::process;

/// Folders of packages below `target`, which the tests use, their contents and the lists of
/// these. Separate, because the MCP client's major versions conflict.
const ENVIRONMENTS: [[&str; 3]; 4] = [
    [
        "mcp-python-1",
        "the Python MCP client, version 1",
        "crates/server/tests/mcp-clients/requirements-1.txt",
    ],
    [
        "mcp-python-2",
        "the Python MCP client, version 2",
        "crates/server/tests/mcp-clients/requirements-2.txt",
    ],
    [
        "clickhouse-python",
        "ClickHouse as a library, 560 MB",
        "crates/testkit/clickhouse/requirements.txt",
    ],
    [
        "duckdb-python",
        "DuckDB as a library, 20 MB",
        "crates/server/tests/visit-files/requirements.txt",
    ],
];

/// True if Python is installed and can create environments with pip; Debian has that in a
/// separate package.
pub fn is_installed() -> bool {
    let imports = ["-c", "import ensurepip, venv"];
    process::answer(process::program("python3").args(imports)).is_some()
}

/// Creates the environments and installs the packages, unless they are current.
pub fn install() -> Result<()> {
    for [folder, content, list] in ENVIRONMENTS {
        let folder = process::root().join("target").join(folder);
        let list = process::root().join(list);
        if !is_current(&folder, &list) {
            println!("installing {content}");
            install_in(&folder, &list)?;
        }
    }
    Ok(())
}

/// True if the last step of an installation has copied this list into the environment.
fn is_current(folder: &Path, list: &Path) -> bool {
    let installed = fs::read(folder.join(INSTALLED));
    installed.is_ok_and(|installed| fs::read(list).is_ok_and(|list| list == installed))
}

fn install_in(folder: &Path, list: &Path) -> Result<()> {
    let make = ["-m", "venv", "--clear"];
    process::run(process::program("python3").args(make).arg(folder))?;
    // The lists name what their packages need. Only ClickHouse's omits libraries of data frames, 350 MB.
    let install = "install --quiet --no-input --disable-pip-version-check --no-deps --requirement";
    let mut pip = process::program(folder.join("bin/pip"));
    process::run(pip.args(install.split(' ')).arg(list))?;
    fs::copy(list, folder.join(INSTALLED))?;
    Ok(())
}

const INSTALLED: &str = "requirements.txt";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_current_while_its_list_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list.txt");
        fs::write(&list, "mcp==1\n").unwrap();
        assert!(!is_current(folder.path(), &list), "nothing is installed");
        fs::copy(&list, folder.path().join(INSTALLED)).unwrap();
        assert!(is_current(folder.path(), &list));
        fs::write(&list, "mcp==2\n").unwrap();
        assert!(!is_current(folder.path(), &list), "the list changed");
    }
}
