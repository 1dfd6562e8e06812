//! A database in a process of Python, which ends when its input closes.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout, Command, Stdio},
};

use anyhow::{Result, ensure};
use xtask::process;

/// Its lines on standard input and output. Dropping this ends it.
#[derive(Debug)]
pub(super) struct Piped {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Piped {
    /// Starts a script with the Python of a folder in `target`.
    pub(super) fn start(
        environment: &str,
        script: &str,
        set_up: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<Self> {
        let python = process::root().join("target").join(environment);
        let mut command = process::program(python.join("bin/python"));
        let mut process = set_up(command.arg(process::root().join(script)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().expect("standard output is piped");
        let output = BufReader::new(output);
        Ok(Self { process, output })
    }

    pub(super) fn say(&mut self, line: &str) -> Result<()> {
        let input = self.process.stdin.as_mut();
        writeln!(input.expect("standard input is piped"), "{line}")?;
        Ok(())
    }

    pub(super) fn hear(&mut self) -> Result<String> {
        let mut line = String::new();
        let bytes = self.output.read_line(&mut line)?;
        ensure!(bytes > 0, "it ended without a word");
        Ok(line)
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
