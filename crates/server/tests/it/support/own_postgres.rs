//! A PostgreSQL server for one test, which the test restarts and suspends.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    net::TcpListener,
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;
use url::Url;

use crate::support::own_database::{Psql, postgres_url};

/// A server with the programs and the account of the server that the test command started.
pub(crate) struct OwnPostgres {
    programs: PathBuf,
    owner: (u32, u32),
    port: u16,
    /// Ends the server when its standard input closes, so also if the test is killed.
    janitor: Child,
    folder: TempDir,
}

impl OwnPostgres {
    pub(crate) fn start() -> Self {
        let mut other = Psql::connect(&postgres_url());
        let programs = other.ask("SELECT setting FROM pg_config WHERE name = 'BINDIR';");
        let data = other.ask("SHOW data_directory;");
        let data = fs::metadata(data).unwrap();
        let owner = (data.uid(), data.gid());
        let folder = tempfile::tempdir().unwrap();
        if fs::metadata(folder.path()).unwrap().uid() != owner.0 {
            chown(folder.path(), Some(owner.0), Some(owner.1)).unwrap();
        }
        let programs = PathBuf::from(programs);
        let server = Self {
            janitor: employ_janitor(&programs, folder.path(), owner),
            port: TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port(),
            programs,
            owner,
            folder,
        };
        server.initialize();
        server.control(&["start"]);
        server
    }

    pub(crate) fn url(&self) -> Url {
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres", self.port);
        url.parse().unwrap()
    }

    /// Stops the server, `fast` or `immediate`, and starts it again.
    pub(crate) fn restart(&self, mode: &str) {
        self.control(&["restart", "-m", mode]);
    }

    /// Sends a signal to every process of the server, such as `STOP` and `CONT`.
    pub(crate) fn signal(&self, signal: &str) {
        let main = fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let main = main.lines().next().unwrap().to_owned();
        // The main process first, so that it starts no new one.
        self.kill(signal, &main);
        let tasks = format!("/proc/{main}/task/{main}/children");
        for child in fs::read_to_string(tasks).unwrap().split_whitespace() {
            self.kill(signal, child);
        }
    }

    fn kill(&self, signal: &str, process: &str) {
        let mut kill = self.command(Path::new("kill"));
        // A session may have ended meanwhile.
        let _ = kill.args([&format!("-{signal}"), process]).status();
    }

    fn initialize(&self) {
        let initdb = self
            .command(&self.programs.join("initdb"))
            .args(["--auth=trust", "--username=postgres", "--no-sync", "-D"])
            .arg(self.data())
            .stdout(Stdio::null())
            .status();
        assert!(initdb.unwrap().success());
        let settings = self.data().join("postgresql.conf");
        let sockets = self.folder.path().display();
        let written = OpenOptions::new()
            .append(true)
            .open(settings)
            .and_then(|mut file| {
                write!(
                    file,
                    "listen_addresses = '127.0.0.1'\nport = {}\n\
                     unix_socket_directories = '{sockets}'\n",
                    self.port
                )
            });
        written.unwrap();
    }

    fn control(&self, order: &[&str]) {
        let log = self.folder.path().join("log");
        let done = self
            .command(&self.programs.join("pg_ctl"))
            .args(order)
            .args(["-w", "-t", "60", "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(&log)
            .stdout(Stdio::null())
            .status();
        let said = || fs::read_to_string(&log).unwrap_or_default();
        assert!(done.unwrap().success(), "{order:?}: {}", said());
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &Path) -> Command {
        command(program, self.folder.path(), self.owner)
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        self.signal("CONT");
        drop(self.janitor.stdin.take());
        let _ = self.janitor.wait();
    }
}

fn employ_janitor(programs: &Path, folder: &Path, owner: (u32, u32)) -> Child {
    const DUTY: &str = r#"cat > /dev/null; "$1/pg_ctl" stop -D "$2/data" -m immediate -w"#;
    command(Path::new("sh"), folder, owner)
        .args(["-c", DUTY, "janitor"])
        .args([programs, folder])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap()
}

/// A program run by the account that may run the server.
fn command(program: &Path, folder: &Path, (user, group): (u32, u32)) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    if fs::metadata("/proc/self").unwrap().uid() != user {
        command.uid(user).gid(group);
    }
    command
}
