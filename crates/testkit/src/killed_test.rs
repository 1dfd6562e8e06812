//! A test of this program that works in a process of its own until another test kills it.

use std::{
    env,
    ffi::OsStr,
    io::{BufRead, BufReader, Lines},
    iter,
    process::{Child, ChildStdout, Command, Stdio},
    thread::sleep,
    time::Duration,
};

use slugline_domain::ports::Random;

use crate::SeededRandom;

/// The process of a test that does nothing without certain environment variables. Dropping this
/// value kills it.
#[derive(Debug)]
pub struct KilledTest {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl KilledTest {
    /// Starts the test with this path.
    ///
    /// # Panics
    /// The system starts no process.
    pub fn start<K, V>(test: &str, environment: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        let mut child = Command::new(env::current_exe().expect("the test runs from a file"))
            .args(["--exact", test, "--nocapture"])
            .envs(environment)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test can run itself");
        let output = child.stdout.take().expect("the output is piped");
        let lines = BufReader::new(output).lines();
        Self { child, lines }
    }

    /// Starts a process eight times, waits until it says a word, and kills it up to `longest` later.
    ///
    /// # Panics
    /// A process does not say it.
    pub fn again_and_again(start: impl Fn() -> Self, word: &str, longest: Duration) {
        let random = SeededRandom::new(11);
        for _ in 0..8 {
            let mut process = start();
            process.says(word).expect("the process works");
            let mut byte = [0];
            random.fill(&mut byte);
            sleep(longest * u32::from(byte[0]) / 256);
        }
    }

    /// Waits for a line that has this word, and returns the rest of the line. Returns `None` if the
    /// process ends without it.
    pub fn says(&mut self, word: &str) -> Option<String> {
        let mut lines = self.lines.by_ref().map_while(Result::ok);
        lines.find_map(|line| Some(line.rsplit_once(word)?.1.to_owned()))
    }

    /// Kills the process, and returns the rest of the last line with this word that it wrote before
    /// and that is not read yet.
    ///
    /// # Panics
    /// The system does not kill it.
    pub fn kill(mut self, word: &str) -> Option<String> {
        self.child.kill().expect("a child can be killed");
        iter::from_fn(|| self.says(word)).last()
    }
}

impl Drop for KilledTest {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
