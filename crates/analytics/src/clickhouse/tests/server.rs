//! A ClickHouse server for one test.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use tempfile::TempDir;

use super::wire::TestWire;
use crate::clickhouse::{ClickHouseTarget, client::Client};

const USER: &str = "ana";
const PASSWORD: &str = "it's: a \\ secret";

/// A server whose data outlives its process.
pub(super) struct Server {
    process: Child,
    port: u16,
    folder: TempDir,
}

impl Server {
    pub(super) fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), 0)
    }

    fn start_in(folder: TempDir, port: u16) -> Self {
        let mut process = Command::new(python())
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clickhouse/server.py"))
            .arg(folder.path())
            .args([&port.to_string(), USER, PASSWORD])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("`cargo xtask test` has installed the engine");
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let port = line.trim().parse().expect("the server says its port");
        Self {
            process,
            port,
            folder,
        }
    }

    /// Kills the process, as a crash would.
    pub(super) fn kill(mut self) -> Killed {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        Killed {
            port: self.port,
            folder: std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap()),
        }
    }

    pub(super) fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    pub(super) fn target(&self, database: &str) -> ClickHouseTarget {
        self.url(database).parse().unwrap()
    }

    pub(super) fn client(&self, database: &str) -> Client {
        Client::new(self.target(database), Arc::new(TestWire::default()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A server that is not there for the moment.
pub(super) struct Killed {
    port: u16,
    folder: TempDir,
}

impl Killed {
    /// Starts it again where it was.
    pub(super) fn restart(self) -> Server {
        Server::start_in(self.folder, self.port)
    }
}

fn url(port: u16, database: &str) -> String {
    format!("clickhouse+http://{USER}:it's%3A%20a%20%5C%20secret@127.0.0.1:{port}/{database}")
}

/// Where `cargo xtask test` installs the engine.
fn python() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clickhouse-python/bin/python")
}
