//! Other programs, started from the root of the workspace.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::Metadata;

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in a folder of the workspace")
}

/// Asks cargo for the metadata of the workspace, with these further options.
pub fn metadata(options: &str) -> Result<Metadata> {
    let told = stdout(cargo("metadata --format-version 1").args(options.split(' ')))?;
    serde_json::from_slice(&told).context("cargo metadata has another shape than expected")
}

/// A program that will run in the root of the workspace.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// Cargo with arguments, which blanks separate, and without the variables that the outer cargo has set
/// for this process.
///
/// Build scripts such as ring's rebuild when `CARGO_PKG_*` changes, so a build from here would
/// invalidate a build from the shell.
pub fn cargo(arguments: &str) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace());
    for (name, _) in env::vars_os().filter(|(name, _)| describes_us(name)) {
        command.env_remove(name);
    }
    command
}

/// Runs a command on our terminal; it must succeed.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a command and shows its output only if it fails.
pub fn run_quietly(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| cannot_start(command))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        bail!("`{}` failed ({}): {said}", line(command), output.status);
    }
    Ok(())
}

/// The standard output of a command; its standard error goes to our terminal.
pub fn stdout(command: &mut Command) -> Result<Vec<u8>> {
    command.stderr(Stdio::inherit());
    let output = command.output().with_context(|| cannot_start(command))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", line(command), output.status);
    }
    Ok(output.stdout)
}

/// The first line of a command's output, or `None` if it is missing or fails.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Prints what a check found, and fails if that is anything.
pub fn none(findings: &[String], of: &str) -> Result<()> {
    for finding in findings {
        eprintln!("{finding}");
    }
    ensure!(findings.is_empty(), "{} findings {of}", findings.len());
    Ok(())
}

/// The reason why a command did not start.
pub fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", command.get_program().display())
}

fn describes_us(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// The command as a person would type it.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_names_the_whole_command() {
        let error = run(program("false").arg("--now")).unwrap_err();
        assert!(error.to_string().starts_with("`false --now` failed"));
    }

    #[test]
    fn missing_program_has_no_answer() {
        assert_eq!(answer(&mut program("no-such-program-here")), None);
    }

    #[test]
    fn cargo_does_not_inherit_our_package() {
        let command = cargo("check");
        let removed = |name| {
            command
                .get_envs()
                .any(|entry| entry == (OsStr::new(name), None))
        };
        assert!(removed("CARGO_PKG_NAME"));
        assert!(removed("CARGO_MANIFEST_DIR"));
    }
}
