//! A Redis with the data of an older instance.

use std::{
    fmt::Write as _,
    io::Write,
    os::unix::net::UnixStream,
    process::{Command, Stdio},
};

use slugline_testkit::Redis;

use crate::support::server::eventually;

pub(crate) struct OldRedis(Redis);

impl OldRedis {
    pub(crate) fn start() -> Self {
        let redis = Self(Redis::start());
        redis.wait();
        redis
    }

    pub(crate) fn url(&self) -> String {
        self.0.url()
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
            .arg("-s")
            .arg(self.0.socket())
            .arg("--pipe")
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

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.0.kill();
    }

    pub(crate) fn start_again(&mut self) {
        self.0.start_again();
        self.wait();
    }

    fn wait(&self) {
        eventually("redis listens", || {
            let ping = Command::new("redis-cli")
                .arg("-s")
                .arg(self.0.socket())
                .arg("PING")
                .output();
            UnixStream::connect(self.0.socket()).is_ok() && ping.unwrap().stdout == b"PONG\n"
        });
    }
}
