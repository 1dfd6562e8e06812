//! Test programs that run side by side. One program alone leaves processors idle whenever its
//! tests wait for a service, a browser or a database.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{fs, thread};

use anyhow::{Context, Result};
use cargo_metadata::Message;

use xtask::process;

/// A command for each test program in the JSON messages of a build, in the folder of its package.
/// The largest comes first, because it runs longest.
pub(super) fn programs(messages: &[u8]) -> Result<Vec<Command>> {
    let mut programs = Vec::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(built) = message?
            && let (true, Some(path)) = (built.profile.test, built.executable)
        {
            let mut command = Command::new(&path);
            let folder = built.manifest_path.parent();
            command.current_dir(folder.context("a test program without a package")?);
            programs.push((fs::metadata(path)?.len(), command));
        }
    }
    programs.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    Ok(programs.into_iter().map(|(_, command)| command).collect())
}

/// Runs commands, two at a time, and shows each line that they write. Returns whether all succeeded.
pub(super) fn run(
    commands: impl Iterator<Item = Command> + Send,
    show: impl FnMut(&[u8]) -> Result<()> + Send,
) -> Result<bool> {
    let queue = Mutex::new(commands);
    let next = || queue.lock().expect(NO_PANIC).next();
    let show = Mutex::new(show);
    let work = || -> Result<bool> {
        let mut all_succeeded = true;
        while let Some(command) = next() {
            all_succeeded &= run_one(command, &show)?;
        }
        Ok(all_succeeded)
    };
    thread::scope(|scope| {
        let other = scope.spawn(work);
        let [one, other] = [work(), other.join().expect(NO_PANIC)];
        Ok(one? & other?)
    })
}

const NO_PANIC: &str = "what starts programs and reads their output does not panic";

fn run_one(mut command: Command, show: &Mutex<impl FnMut(&[u8]) -> Result<()>>) -> Result<bool> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| process::cannot_start(&command))?;
    println!("\nrunning {}", command.get_program().display());
    let mut output = BufReader::new(child.stdout.take().expect("standard output is piped"));
    let mut held = None;
    let mut line = Vec::new();
    // By bytes, not by `lines()`: the output of a test may not be UTF-8.
    while output.read_until(b'\n', &mut line)? > 0 {
        let mut show = held.take().unwrap_or_else(|| show.lock().expect(NO_PANIC));
        show(&line)?;
        // From the report of failures on, the lines of this program stay together.
        if line.starts_with(b"failures:") {
            held = Some(show);
        }
        line.clear();
    }
    Ok(child.wait()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_shown_unchanged_and_one_failure_fails_all() {
        let says = |words: &str, status: u8| {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("printf '{words}'; exit {status}")]);
            command
        };
        let mut seen = Vec::new();
        let mut outcome = |commands: Vec<Command>| {
            let show = |line: &[u8]| {
                seen.push(line.to_owned());
                Ok(())
            };
            run(commands.into_iter(), show).unwrap()
        };
        let good = || says("noise \\377\\n", 0);
        let bad = says("failures:\\n    opens\\n", 1);
        assert!(!outcome(vec![good(), bad, good()]));
        assert!(outcome(vec![good()]));
        let at = |wanted: &[u8]| seen.iter().position(|line| line == wanted).unwrap();
        assert_eq!(at(b"failures:\n") + 1, at(b"    opens\n"));
        assert_eq!(
            seen.iter().filter(|line| *line == b"noise \xff\n").count(),
            3
        );
    }

    #[test]
    fn only_test_programs_of_a_build_run_each_in_its_package() {
        let file = std::env::current_exe().unwrap();
        let message = |test: bool| {
            serde_json::json!({
                "reason": "compiler-artifact", "package_id": "one", "manifest_path": "/there/crates/one/Cargo.toml",
                "target": {"name": "one", "kind": ["lib"], "crate_types": ["lib"], "src_path": "/there/crates/one/lib.rs"},
                "profile": {"opt_level": "0", "debug_assertions": true, "overflow_checks": true, "test": test},
                "features": [], "filenames": [], "executable": file, "fresh": true,
            })
        };
        let messages = format!("{}\n{}\nno JSON\n{{}}\n", message(true), message(false));
        let [program] = &programs(messages.as_bytes()).unwrap()[..] else {
            panic!("one program is a test");
        };
        assert_eq!(program.get_program(), file);
        assert_eq!(
            program.get_current_dir(),
            Some("/there/crates/one".as_ref())
        );
    }
}
