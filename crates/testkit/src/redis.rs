//! A Redis server for one test, with its socket in a temporary folder.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

/// A server whose data outlives its process: every acknowledged write is on the
/// disk.
#[derive(Debug)]
pub struct Redis {
    process: Child,
    folder: TempDir,
}

impl Redis {
    /// Starts a server and does not wait until it answers.
    ///
    /// # Panics
    /// `redis-server` is not installed; `cargo xtask test` installs it.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let process = spawn(&folder);
        Self { process, folder }
    }

    /// The path of its socket.
    pub fn socket(&self) -> PathBuf {
        socket(&self.folder)
    }

    /// The socket as a URL.
    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    /// Kills the process.
    ///
    /// # Panics
    /// The system refuses.
    pub fn kill(&mut self) {
        self.process.kill().expect("a child can be killed");
        self.process.wait().expect("a killed child ends");
    }

    /// Starts it again with the same data.
    pub fn start_again(&mut self) {
        self.process = spawn(&self.folder);
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn socket(folder: &TempDir) -> PathBuf {
    folder.path().join("redis.sock")
}

fn spawn(folder: &TempDir) -> Child {
    Command::new("redis-server")
        .args(["--port", "0", "--save", ""])
        .args(["--appendonly", "yes", "--appendfsync", "always"])
        .arg("--unixsocket")
        .arg(socket(folder))
        .arg("--dir")
        .arg(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("`cargo xtask test` installs the package redis-server")
}
