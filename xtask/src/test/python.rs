//! Python, which runs the official MCP clients of that language.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;

/// One environment for each major version of the client: they do not go
/// together. The tests know the folders by these numbers.
const CLIENTS: [u8; 2] = [1, 2];

/// Whether Python is here and can make environments with pip in them; Debian
/// has that in a package of its own.
pub(crate) fn is_installed() -> bool {
    let imports = ["-c", "import ensurepip, venv"];
    process::answer(process::program("python3").args(imports)).is_some()
}

/// Makes the environments and fills them, unless they are current.
pub(crate) fn install(clients: &Path) -> Result<()> {
    for client in CLIENTS {
        let folder = process::root().join(format!("target/mcp-python-{client}"));
        let wanted = clients.join(format!("requirements-{client}.txt"));
        let wanted = Requirements::read(wanted)?;
        if !wanted.are_met_in(&folder) {
            println!("installing the Python MCP client, version {client}");
            wanted.install(&folder)?;
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

    /// The list is copied into the environment once all of it is there.
    fn are_met_in(&self, folder: &Path) -> bool {
        fs::read_to_string(installed_in(folder)).is_ok_and(|text| text == self.text)
    }

    fn install(&self, folder: &Path) -> Result<()> {
        let make = ["-m", "venv", "--clear"];
        process::run(process::program("python3").args(make).arg(folder))?;
        let arguments = [
            "install",
            "--quiet",
            "--no-input",
            "--disable-pip-version-check",
            "--requirement",
        ];
        process::run(
            process::program(folder.join("bin/pip"))
                .args(arguments)
                .arg(&self.file),
        )?;
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
