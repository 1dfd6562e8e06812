//! A Redis as an older instance left it, in a temporary folder.

use std::{
    fmt::Write as _,
    io::Write,
    os::unix::net::UnixStream,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::server::eventually;

pub(crate) struct OldRedis {
    process: Child,
    folder: TempDir,
}

impl OldRedis {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let process = spawn(&folder);
        let redis = Self { process, folder };
        redis.wait();
        redis
    }

    pub(crate) fn url(&self) -> String {
        format!("redis+unix://{}", self.socket())
    }

    /// Runs commands, each a list of words.
    pub(crate) fn run(&self, commands: &[Vec<String>]) {
        let mut wire = String::new();
        for words in commands {
            write!(wire, "*{}\r\n", words.len()).unwrap();
            for word in words {
                write!(wire, "${}\r\n{word}\r\n", word.len()).unwrap();
            }
        }
        let mut client = Command::new("redis-cli")
            .args(["-s", &self.socket(), "--pipe"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        client
            .stdin
            .take()
            .unwrap()
            .write_all(wire.as_bytes())
            .unwrap();
        let output = client.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let expected = format!("errors: 0, replies: {}", commands.len());
        assert!(said.contains(&expected), "{said}");
    }

    /// Ends the server without a word.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        self.process = spawn(&self.folder);
        self.wait();
    }

    fn socket(&self) -> String {
        self.folder
            .path()
            .join("redis.sock")
            .to_str()
            .unwrap()
            .to_owned()
    }

    fn wait(&self) {
        eventually("redis listens", || {
            let ping = Command::new("redis-cli")
                .args(["-s", &self.socket(), "PING"])
                .output();
            UnixStream::connect(self.socket()).is_ok() && ping.unwrap().stdout == b"PONG\n"
        });
    }
}

impl Drop for OldRedis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(folder: &TempDir) -> Child {
    Command::new("redis-server")
        .args([
            "--port",
            "0",
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            "always",
        ])
        .args([
            "--unixsocket",
            folder.path().join("redis.sock").to_str().unwrap(),
        ])
        .args(["--dir", folder.path().to_str().unwrap()])
        .stdout(Stdio::null())
        .spawn()
        .expect("`cargo xtask test` installs the package redis-server")
}
