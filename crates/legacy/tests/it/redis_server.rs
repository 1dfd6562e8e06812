//! A Redis in a temporary folder, reached by a socket there.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use redis::{Client, IntoConnectionInfo, Pipeline, aio::MultiplexedConnection};
use slugline_legacy::RedisStore;
use tempfile::TempDir;

#[derive(Debug)]
pub(crate) struct RedisServer {
    process: Child,
    folder: TempDir,
}

impl RedisServer {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let process = spawn(&folder);
        Self { process, folder }
    }

    pub(crate) fn store(&self) -> RedisStore {
        RedisStore::new(self.url().into_connection_info().unwrap()).unwrap()
    }

    pub(crate) async fn set(&self, entries: &[(String, String)]) {
        let mut commands = redis::pipe();
        commands.cmd("PING").ignore();
        for (key, value) in entries {
            commands.cmd("SET").arg(key).arg(value).ignore();
        }
        self.run(&commands).await;
    }

    pub(crate) async fn run(&self, commands: &Pipeline) {
        let mut connection = self.connection().await;
        commands.exec_async(&mut connection).await.unwrap();
    }

    /// Ends the server without a word.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        self.process = spawn(&self.folder);
    }

    fn url(&self) -> String {
        format!("redis+unix://{}", socket(&self.folder).display())
    }

    /// Waits until the server is there.
    async fn connection(&self) -> MultiplexedConnection {
        let client = Client::open(self.url()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            match client.get_multiplexed_async_connection().await {
                Ok(connection) => return connection,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for RedisServer {
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
        .args([
            "--port",
            "0",
            "--save",
            "",
            "--appendonly",
            "yes",
            "--unixsocket",
        ])
        .arg(socket(folder))
        .arg("--dir")
        .arg(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("`cargo xtask test` installs the package redis-server")
}
