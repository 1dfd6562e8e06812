//! Test programs that run side by side. One program alone leaves processors idle whenever its
//! tests wait for a service, a browser or a database.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{fs, thread};

use anyhow::{Context, Result};
use serde_json::Value;

use xtask::process;

use super::Run;

/// A command for each test program in the JSON messages of a build, in the folder of its package.
/// The largest comes first, because it runs longest.
pub(super) fn programs(messages: &[u8]) -> Result<Vec<Command>> {
    let mut programs = Vec::new();
    for line in messages.split(|byte| *byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let path = message["executable"].as_str();
        if let (Some(path), Some(true)) = (path, message["profile"]["test"].as_bool()) {
            let manifest = message["manifest_path"].as_str();
            let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
            let mut command = Command::new(path);
            command.current_dir(folder.context("a test program without a package")?);
            programs.push((fs::metadata(path)?.len(), command));
        }
    }
    programs.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    Ok(programs.into_iter().map(|(_, command)| command).collect())
}

/// Runs commands, two at a time, and sums up their tests.
pub(super) fn run(commands: impl Iterator<Item = Command> + Send) -> Result<Run> {
    run_on(io::stdout(), commands)
}

fn run_on(
    screen: impl Write + Send,
    commands: impl Iterator<Item = Command> + Send,
) -> Result<Run> {
    let queue = Mutex::new(commands);
    let next = || queue.lock().expect(NO_PANIC).next();
    let run = Run::default();
    let seen = Mutex::new(Seen { screen, run });
    let work = || -> Result<()> {
        while let Some(command) = next() {
            run_one(command, &seen)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let other = scope.spawn(work);
        work().and(other.join().expect(NO_PANIC))
    })?;
    Ok(seen.into_inner().expect(NO_PANIC).run)
}

const NO_PANIC: &str = "what starts programs and reads their output does not panic";

/// What the programs have written so far, and the sum of their tests.
struct Seen<W> {
    screen: W,
    run: Run,
}

fn run_one(mut command: Command, seen: &Mutex<Seen<impl Write>>) -> Result<()> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| process::cannot_start(&command))?;
    let output = child.stdout.take().expect("standard output is piped");
    println!("\nrunning {}", command.get_program().display());
    relay(output, seen)?;
    let failed = !child.wait()?.success();
    seen.lock().expect(NO_PANIC).run.failed |= failed;
    Ok(())
}

/// Forwards the output line by line as it arrives, counts results and notes failures. From the
/// report of failures on, the lines of this program stay together.
fn relay(from: impl Read, seen: &Mutex<Seen<impl Write>>) -> Result<()> {
    let mut from = BufReader::new(from);
    let mut held = None;
    let mut line = Vec::new();
    // By bytes, not by `lines()`: the output of a test may not be UTF-8.
    while from.read_until(b'\n', &mut line)? > 0 {
        let mut seen = held.take().unwrap_or_else(|| seen.lock().expect(NO_PANIC));
        seen.screen.write_all(&line)?;
        seen.screen.flush()?;
        let text = String::from_utf8_lossy(&line);
        seen.run.tally.add(&text);
        seen.run.failures.add(&text);
        if text.starts_with("failures:") {
            held = Some(seen);
        }
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relayed_output_is_unchanged_and_counted() {
        let output = b"noise \xff\ntest result: ok. 2 passed; 0 failed; 0 ignored\nno newline";
        let (screen, run) = (Vec::new(), Run::default());
        let seen = Mutex::new(Seen { screen, run });
        relay(&output[..], &seen).unwrap();
        let Seen { screen, run } = seen.into_inner().unwrap();
        assert_eq!(screen, output);
        assert_eq!(run.tally.passed, 2);
    }

    #[test]
    fn the_outcomes_of_programs_add_up_and_one_failure_fails_all() {
        let says = |words: &str, status: u8| {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("printf '{words}'; exit {status}")]);
            command
        };
        let good = "test result: ok. 2 passed; 0 failed; 0 ignored\\n";
        let bad =
            "failures:\\n    opens\\n\\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\\n";
        let outcome = |commands: Vec<Command>| run_on(Vec::new(), commands.into_iter()).unwrap();
        let all = outcome(vec![says(good, 0), says(bad, 1), says(good, 0)]);
        assert_eq!((all.tally.passed, all.tally.failed), (5, 1));
        assert_eq!(all.failures.to_retry(1).unwrap(), ["opens"]);
        assert!(all.failed);
        assert!(!outcome(vec![says(good, 0)]).failed);
    }

    #[test]
    fn only_test_programs_of_a_build_run_each_in_its_package() {
        let file = std::env::current_exe().unwrap();
        let message = |test: bool| {
            let manifest = "/there/crates/one/Cargo.toml";
            serde_json::json!({"executable": file, "profile": {"test": test}, "manifest_path": manifest})
        };
        let messages = format!("{}\n{}\nno JSON\n{{}}\n", message(true), message(false));
        let [program] = &programs(messages.as_bytes()).unwrap()[..] else {
            panic!("one program is a test");
        };
        assert_eq!(program.get_program(), file);
        assert_eq!(
            program.get_current_dir(),
            Some(Path::new("/there/crates/one"))
        );
    }
}
