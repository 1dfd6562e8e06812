//! Third-party programs that `cargo xtask test` installs.

use std::{
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use super::repository;

/// The folder of their packages and of the scripts that drive them.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp-clients");

/// Node.js with a script of that folder. If the machine's own version is too old, the test
/// command has fetched another.
pub(crate) fn node(script: &str) -> Command {
    let fetched = in_target("node/node_modules/node/bin/node");
    let program = if fetched.exists() {
        fetched
    } else {
        "node".into()
    };
    let mut command = Command::new(program);
    command.current_dir(FOLDER).arg(script);
    command
}

/// A program of a Python environment, which the major version of its client names.
pub(crate) fn python(environment: u8, program: &str, arguments: &[&str]) -> Command {
    let program = in_target(&format!("mcp-python-{environment}/bin/{program}"));
    let mut command = Command::new(program);
    command.current_dir(FOLDER).args(arguments);
    command
}

fn in_target(path: &str) -> PathBuf {
    repository("target").join(path)
}

/// Runs a program with this standard input. It must succeed.
pub(crate) fn run(mut command: Command, input: &str) -> Output {
    let program = command.get_program().display().to_string();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}; `cargo xtask test` installs it"));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{program} failed (`cargo xtask test` installs what it needs): {}\n{}",
        String::from_utf8_lossy(&output.stderr),
        String::from_utf8_lossy(&output.stdout),
    );
    output
}
