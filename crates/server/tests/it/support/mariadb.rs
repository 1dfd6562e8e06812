//! A MariaDB server for one test.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::support::{programs::run, server::eventually};

/// A server of Debian's package, gone when this is dropped.
pub(crate) struct MariaDb {
    folder: TempDir,
    server: Child,
}

impl MariaDb {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let mut install = Command::new("mariadb-install-db");
        install
            .args(["--no-defaults", "--auth-root-authentication-method=normal"])
            .args(["--skip-test-db", "--user=root"])
            .arg(format!("--datadir={}", data.display()));
        run(install, "");
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        // The shell ends the server when its input closes, so also if the test is killed.
        let server = Command::new("sh")
            .args(["-c", r#""$@" & read -r _; kill $!; wait"#, "sh"])
            .args(["mariadbd", "--no-defaults", "--user=root"])
            .args([
                "--bind-address=127.0.0.1",
                "--innodb-flush-log-at-trx-commit=0",
            ])
            .arg(format!("--port={port}"))
            .arg(format!("--socket={}", folder.path().join("s").display()))
            .arg(format!("--datadir={}", data.display()))
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Self { folder, server };
        eventually("MariaDB answers", || {
            let mut ask = started.client("");
            ask.args(["-e", "SELECT 1"]).stderr(Stdio::null());
            ask.stdout(Stdio::null()).status().unwrap().success()
        });
        started
    }

    /// The client of the server, as the documentation runs it.
    pub(crate) fn client(&self, database: &str) -> Command {
        let mut client = Command::new("mariadb");
        client
            .arg("--no-defaults")
            .arg(format!(
                "--socket={}",
                self.folder.path().join("s").display()
            ))
            .args(["--user=root", "-N", "--raw", "--quick", database]);
        client
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        drop(self.server.stdin.take());
        let _ = self.server.wait();
    }
}
