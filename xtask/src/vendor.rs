//! `cargo xtask vendor`: the dashboard's files from npm.
//!
//! Building and running Slugline needs no Node.js: the files are committed, with their
//! versions, licences and hashes in a lock file. The check needs no network.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use xtask::process;

use crate::{licenses, web};

/// Fetches the packages and writes the files, or only compares the committed
/// files with the lock file.
pub(crate) fn run(check: bool) -> Result<()> {
    if check {
        return verify();
    }
    web::install()?;
    if folder().exists() {
        fs::remove_dir_all(folder())?;
    }
    let mut lock = BTreeMap::new();
    for package in &PACKAGES {
        let (name, entry) = package.take_over()?;
        lock.insert(name, entry);
    }
    let text = serde_json::to_string_pretty(&lock)? + "\n";
    fs::write(folder().join(LOCK), text)?;
    println!("{} packages are in {VENDOR}", PACKAGES.len());
    Ok(())
}

const VENDOR: &str = "crates/dashboard/vendor";
const LOCK: &str = "lock.json";

/// A package, and the files that the page imports.
struct Package {
    name: &'static str,
    /// Files of packages, which keep their names. A folder stands for the flags in it.
    files: &'static [&'static str],
    /// Type declarations for type checkers, which the service does not serve.
    types: &'static [(&'static str, &'static str)],
}

const PACKAGES: [Package; 6] = [
    Package {
        name: "preact",
        files: &[
            "preact/dist/preact.mjs",
            "preact/hooks/dist/hooks.mjs",
            "preact/LICENSE",
        ],
        types: &[
            ("preact.d.mts", "export * from \"preact\";\n"),
            ("hooks.d.mts", "export * from \"preact/hooks\";\n"),
        ],
    },
    Package {
        name: "htm",
        files: &["htm/dist/htm.mjs", "htm/LICENSE"],
        types: &[(
            "htm.d.mts",
            "import htm from \"htm\";\nexport default htm;\n",
        )],
    },
    Package {
        name: "@preact/signals",
        files: &[
            "@preact/signals/dist/signals.mjs",
            "@preact/signals-core/dist/signals-core.mjs",
            "@preact/signals/LICENSE",
        ],
        types: &[("signals.d.mts", "export * from \"@preact/signals\";\n")],
    },
    Package {
        name: "qrcode-generator",
        files: &[
            "qrcode-generator/dist/qrcode.mjs",
            "qrcode-generator/README.md",
        ],
        types: &[(
            "qrcode.d.mts",
            "export { default } from \"qrcode-generator\";\n",
        )],
    },
    Package {
        name: "world-atlas",
        files: &["world-atlas/LICENSE"],
        types: &[],
    },
    Package {
        name: "country-flag-icons",
        files: &["country-flag-icons/3x2/", "country-flag-icons/LICENSE"],
        types: &[],
    },
];

impl Package {
    fn take_over(&self) -> Result<(String, Value)> {
        let about = about(self.name)?;
        let version = about["version"].as_str().context("no version")?;
        let folder = self.folder(version);
        fs::create_dir_all(&folder)?;
        for from in self.files {
            let from = packages().join(from);
            let files = if from.is_dir() {
                flags(&from)?
            } else {
                vec![from]
            };
            for from in files {
                let to = last(from.to_str().context("a name is no text")?);
                let content = with_relative_imports(to, read(&from)?)?;
                fs::write(folder.join(to), content)?;
            }
        }
        for (file, content) in self.types {
            fs::write(folder.join(file), content)?;
        }
        if self.name == "qrcode-generator" {
            // The package names MIT and its author, and lacks the text.
            fs::write(
                folder.join("LICENSE"),
                licenses::mit("2009 Kazuhiko Arase")?,
            )?;
        }
        if self.name == "world-atlas" {
            fs::write(folder.join("world.json"), projected_world()?)?;
        }
        let entry = json!({
            "version": version,
            "licence": about["license"],
            "files": hashes(&folder)?,
        });
        Ok((self.name.to_owned(), entry))
    }

    fn folder(&self, version: &str) -> PathBuf {
        folder().join(format!("{}-{version}", last(self.name)))
    }
}

/// The flags of countries; regions have longer codes.
fn flags(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<_> = files.collect::<Result<_>>()?;
    files.retain(|file| {
        let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.len() == "DE.svg".len() && file.extension() == Some(OsStr::new("svg"))
    });
    Ok(files)
}

/// Bare names of packages need an import map, which needs an inline script,
/// which the page's policy forbids.
fn with_relative_imports(file: &str, content: Vec<u8>) -> Result<Vec<u8>> {
    if Path::new(file).extension().is_none_or(|end| end != "mjs") {
        return Ok(content);
    }
    let preact = if file == "hooks.mjs" {
        ".".to_owned()
    } else {
        let about = about("preact")?;
        format!(
            "../preact-{}",
            about["version"].as_str().context("no version")?
        )
    };
    let text = String::from_utf8(content)
        .context("modules are UTF-8")?
        .replace("\"preact/hooks\"", &format!("\"{preact}/hooks.mjs\""))
        .replace("\"preact\"", &format!("\"{preact}/preact.mjs\""))
        .replace("\"@preact/signals-core\"", "\"./signals-core.mjs\"");
    // Source maps are not vendored, and browsers' tools would request them.
    let lines = text
        .lines()
        .filter(|line| !line.starts_with("//# sourceMappingURL="));
    Ok((lines.collect::<Vec<_>>().join("\n") + "\n").into_bytes())
}

/// What a package says of itself.
fn about(package: &str) -> Result<Value> {
    let about = read(&packages().join(package).join("package.json"))?;
    Ok(serde_json::from_slice(&about)?)
}

fn projected_world() -> Result<Vec<u8>> {
    let script = web::tools().join("world.mjs");
    process::stdout(web::node()?.arg(script).arg(web::tools()))
}

fn verify() -> Result<()> {
    let lock: Value = serde_json::from_slice(&read(&folder().join(LOCK))?)?;
    let wanted: Value = serde_json::from_slice(&read(&web::tools().join("package.json"))?)?;
    let mut findings = Vec::new();
    for package in &PACKAGES {
        let (name, entry) = (package.name, &lock[package.name]);
        let version = entry["version"].as_str().unwrap_or_default();
        if wanted["devDependencies"][name] != version {
            findings.push(format!("{name}: {version:?} is here, another is wanted"));
        }
        if json!(hashes(&package.folder(version))?) != entry["files"] {
            findings.push(format!("{name}: its files are not those of the lock"));
        }
    }
    let entries = fs::read_dir(folder())?.count();
    if entries != PACKAGES.len() + 1 {
        findings.push(format!("{VENDOR} holds something that is not listed"));
    }
    process::none(
        &findings,
        "in the files: write them with `cargo xtask vendor`",
    )?;
    println!("{} vendored packages are as locked", PACKAGES.len());
    Ok(())
}

fn hashes(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut hashes = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} is missing", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let digest = Sha256::digest(read(&path)?);
        hashes.insert(name.into_owned(), hex(&digest));
    }
    Ok(hashes)
}

fn hex(digest: &[u8]) -> String {
    let bytes = digest.iter();
    bytes.fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The text behind the last slash.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn folder() -> PathBuf {
    process::root().join(VENDOR)
}

fn packages() -> PathBuf {
    web::tools().join("node_modules")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_vendored_is_what_was_locked() {
        verify().unwrap();
    }
}
