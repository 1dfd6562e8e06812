//! Python, which runs the official MCP clients of that language, and ClickHouse and DuckDB
//! as libraries.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;

/// A folder of packages below `target`, which the tests use.
struct Environment {
    content: &'static str,
    folder: &'static str,
    /// The list of packages.
    list: &'static str,
    /// True to install the packages' dependencies too.
    with_dependencies: bool,
}

/// Separate, because the MCP client's major versions conflict.
const ENVIRONMENTS: [Environment; 4] = [
    Environment {
        content: "the Python MCP client, version 1",
        folder: "mcp-python-1",
        list: "crates/server/tests/mcp-clients/requirements-1.txt",
        with_dependencies: true,
    },
    Environment {
        content: "the Python MCP client, version 2",
        folder: "mcp-python-2",
        list: "crates/server/tests/mcp-clients/requirements-2.txt",
        with_dependencies: true,
    },
    Environment {
        content: "ClickHouse as a library, 560 MB",
        folder: "clickhouse-python",
        list: "crates/testkit/clickhouse/requirements.txt",
        // The dependencies are libraries for data frames, another 350 MB.
        with_dependencies: false,
    },
    Environment {
        content: "DuckDB as a library, 20 MB",
        folder: "duckdb-python",
        list: "crates/server/tests/visit-files/requirements.txt",
        with_dependencies: true,
    },
];

/// True if Python is installed and can create environments with pip; Debian has that in a
/// separate package.
pub fn is_installed() -> bool {
    let imports = ["-c", "import ensurepip, venv"];
    process::answer(process::program("python3").args(imports)).is_some()
}

/// Creates the environments and installs the packages, unless they are current.
pub fn install() -> Result<()> {
    for environment in ENVIRONMENTS {
        let folder = process::root().join("target").join(environment.folder);
        let wanted = Requirements::read(process::root().join(environment.list))?;
        if !wanted.are_met_in(&folder) {
            println!("installing {}", environment.content);
            wanted.install(&folder, environment.with_dependencies)?;
        }
    }
    Ok(())
}

/// A list of packages with their versions.
struct Requirements {
    file: PathBuf,
    text: String,
}

impl Requirements {
    fn read(file: PathBuf) -> Result<Self> {
        let text = fs::read_to_string(&file)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        Ok(Self { file, text })
    }

    /// The last step of an installation copies the list into the environment.
    fn are_met_in(&self, folder: &Path) -> bool {
        fs::read_to_string(installed_in(folder)).is_ok_and(|text| text == self.text)
    }

    fn install(&self, folder: &Path, with_dependencies: bool) -> Result<()> {
        let make = ["-m", "venv", "--clear"];
        process::run(process::program("python3").args(make).arg(folder))?;
        let arguments = [
            "install",
            "--quiet",
            "--no-input",
            "--disable-pip-version-check",
            "--requirement",
        ];
        let mut pip = process::program(folder.join("bin/pip"));
        pip.args(arguments).arg(&self.file);
        if !with_dependencies {
            pip.arg("--no-deps");
        }
        process::run(&mut pip)?;
        Ok(fs::write(installed_in(folder), &self.text)?)
    }
}

fn installed_in(folder: &Path) -> PathBuf {
    folder.join("requirements.txt")
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn an_environment_is_current_while_its_list_is_the_same() {
        let folder = env::temp_dir().join(format!("slugline-python-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let wanted = Requirements {
            file: folder.join("wanted.txt"),
            text: "mcp==1\n".into(),
        };
        assert!(!wanted.are_met_in(&folder), "nothing is installed");
        fs::write(installed_in(&folder), "mcp==1\n").unwrap();
        assert!(wanted.are_met_in(&folder));
        fs::write(installed_in(&folder), "mcp==2\n").unwrap();
        assert!(!wanted.are_met_in(&folder), "the list changed");
        fs::remove_dir_all(folder).unwrap();
    }
}
