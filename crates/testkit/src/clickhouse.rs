//! ClickHouse for tests, in temporary folders: one server that the tests of a program share, and
//! servers of single tests, which kill them.
//!
//! `cargo xtask test` installs both engines.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread::sleep,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// The program that answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClickHouseEngine {
    /// A current ClickHouse as a library, behind a small HTTP server of ours:
    /// the SQL is real, the wire is not.
    Library,
    /// ClickHouse's own server: the wire is real. It is the machine's own server, else Debian's
    /// from 2018.
    Server,
}

/// A running ClickHouse whose data outlive its process.
#[derive(Debug)]
pub struct ClickHouse {
    engine: ClickHouseEngine,
    process: Process,
    port: u16,
    folder: TempDir,
}

/// A ClickHouse that is down at the moment.
#[derive(Debug)]
pub struct KilledClickHouse {
    engine: ClickHouseEngine,
    port: u16,
    folder: TempDir,
}

impl ClickHouse {
    /// The user name of its account.
    pub const USER: &str = "ana";
    /// The password of the account, with characters that need escaping.
    pub const PASSWORD: &str = "it's: a \\ secret";
    /// The time after which the server closes an idle connection.
    pub const KEEP_ALIVE: Duration = Duration::from_secs(1);

    /// The server that the tests of this program share, each with a database of its own. The first
    /// of them starts it, and it ends with the program.
    pub fn shared(engine: ClickHouseEngine) -> &'static Self {
        static LIBRARY: OnceLock<ClickHouse> = OnceLock::new();
        static SERVER: OnceLock<ClickHouse> = OnceLock::new();
        let shared = match engine {
            ClickHouseEngine::Library => &LIBRARY,
            ClickHouseEngine::Server => &SERVER,
        };
        shared.get_or_init(|| Self::start(engine))
    }

    /// Starts a server without data for one test, and waits until it answers.
    pub fn start(engine: ClickHouseEngine) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        Self::start_in(folder, engine, None)
    }

    fn start_in(folder: TempDir, engine: ClickHouseEngine, port: Option<u16>) -> Self {
        let (process, port) = match engine {
            ClickHouseEngine::Library => library(folder.path(), port),
            ClickHouseEngine::Server => server(folder.path(), port),
        };
        Self {
            engine,
            process,
            port,
            folder,
        }
    }

    /// Kills the process, as a crash would.
    pub fn kill(self) -> KilledClickHouse {
        let Self {
            engine,
            process,
            port,
            folder,
        } = self;
        drop(process);
        KilledClickHouse {
            engine,
            port,
            folder,
        }
    }

    /// The program that answers.
    pub fn engine(&self) -> ClickHouseEngine {
        self.engine
    }

    /// The URL of one of its databases, as settings name it.
    pub fn url(&self, database: &str) -> String {
        self.url_with(Self::PASSWORD, database)
    }

    /// The same with another password.
    pub fn url_with(&self, password: &str, database: &str) -> String {
        url(self.port, password, database)
    }
}

impl KilledClickHouse {
    /// A server without data that was never started.
    pub fn new(engine: ClickHouseEngine) -> Self {
        Self {
            engine,
            port: free_port(),
            folder: tempfile::tempdir().expect("there is room for a folder"),
        }
    }

    /// The URL of one of its databases, as settings name it.
    pub fn url(&self, database: &str) -> String {
        url(self.port, ClickHouse::PASSWORD, database)
    }

    /// Starts it with the data and the port that it had.
    pub fn restart(self) -> ClickHouse {
        ClickHouse::start_in(self.folder, self.engine, Some(self.port))
    }
}

fn url(port: u16, password: &str, database: &str) -> String {
    let user = ClickHouse::USER;
    let password = password
        .replace('\\', "%5C")
        .replace(':', "%3A")
        .replace(' ', "%20");
    format!("clickhouse+http://{user}:{password}@127.0.0.1:{port}/{database}")
}

/// A process that is killed when this value is dropped. If the test process ends without dropping
/// it, as it does for a shared server, the heir kills it and removes its folder.
#[derive(Debug)]
struct Process {
    child: Child,
    /// A process that waits for the end of its standard input, which the operating system closes at
    /// every end of the test process. Ctrl-C does not end it.
    heir: Child,
}

const DUTY: &str = r#"
trap '' INT
read -r _
kill -9 "$1" 2> /dev/null
rm -rf "$2" 2> /dev/null || rm -rf "$2"
"#;

impl Process {
    fn new(child: Child, folder: &Path) -> Self {
        let heir = Command::new("sh")
            .args(["-c", DUTY, "heir"])
            .arg(child.id().to_string())
            .arg(folder)
            .stdin(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        Self { child, heir }
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The heir goes first: the folder may outlive the process.
        for process in [&mut self.heir, &mut self.child] {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Starts the library; port 0 lets the system choose.
fn library(folder: &Path, port: Option<u16>) -> (Process, u16) {
    let mut process = Command::new(workspace().join("target/clickhouse-python/bin/python"))
        .arg(workspace().join("crates/testkit/clickhouse/server.py"))
        .arg(folder)
        .arg(port.unwrap_or(0).to_string())
        .args([ClickHouse::USER, ClickHouse::PASSWORD])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`cargo xtask test` has installed the library");
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("it is piped"))
        .read_line(&mut line)
        .expect("the library says something");
    let port = line.trim().parse().expect("the library says its port");
    (Process::new(process, folder), port)
}

/// Starts the server, on any port unless one is named.
fn server(folder: &Path, port: Option<u16>) -> (Process, u16) {
    // Another process may take a free port before the server does.
    const ATTEMPTS: usize = 5;
    for _ in 0..ATTEMPTS {
        let port = port.unwrap_or_else(free_port);
        if let Some(process) = server_once(folder, port) {
            return (process, port);
        }
    }
    let said = fs::read_to_string(folder.join("output")).unwrap_or_default();
    panic!("ClickHouse's server does not start: {said}");
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
    listener.local_addr().expect("it has an address").port()
}

/// Returns `None` if the server ends instead of answering.
fn server_once(folder: &Path, port: u16) -> Option<Process> {
    const TIMEOUT: Duration = Duration::from_mins(5);

    let name = folder.display().to_string();
    fs::write(folder.join("config.xml"), config(&name, port)).expect("there is room");
    fs::write(folder.join("users.xml"), users()).expect("there is room");
    let output = File::create(folder.join("output")).expect("there is room");
    let child = Command::new(workspace().join("target/clickhouse-server/clickhouse-server"))
        .arg(format!("--config-file={name}/config.xml"))
        // Newer servers would otherwise start a watchdog that restarts them.
        .env("CLICKHOUSE_WATCHDOG_ENABLE", "0")
        .stdin(Stdio::null())
        .stdout(output.try_clone().expect("a file can be shared"))
        .stderr(output)
        .spawn()
        .expect("`cargo xtask test` has brought the server");
    let mut process = Process::new(child, folder);
    let limit = Instant::now() + TIMEOUT;
    while !answers(&name, port) {
        if process.has_ended() {
            return None;
        }
        assert!(Instant::now() < limit, "no answer within {TIMEOUT:?}");
        sleep(Duration::from_millis(10));
    }
    Some(process)
}

/// Returns whether the server of this name answers there, and no other.
fn answers(name: &str, port: u16) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        // Without an account it refuses, but its answer holds its name.
        stream.write_all(b"GET /?query=SELECT+1 HTTP/1.0\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&answer).contains(name))
    };
    ask().unwrap_or(false)
}

fn config(folder: &str, port: u16) -> String {
    let keep_alive = ClickHouse::KEEP_ALIVE.as_secs();
    format!(
        "<yandex>
            <display_name>{folder}</display_name>
            <logger><level>error</level><log>{folder}/log</log></logger>
            <listen_host>127.0.0.1</listen_host>
            <http_port>{port}</http_port>
            <keep_alive_timeout>{keep_alive}</keep_alive_timeout>
            <path>{folder}/data/</path>
            <tmp_path>{folder}/tmp/</tmp_path>
            <mark_cache_size>268435456</mark_cache_size>
            <timezone>UTC</timezone>
            <users_config>users.xml</users_config>
            <default_profile>default</default_profile>
            <default_database>default</default_database>
        </yandex>"
    )
}

fn users() -> String {
    let (user, password) = (ClickHouse::USER, ClickHouse::PASSWORD);
    format!(
        "<yandex>
            <profiles><default></default></profiles>
            <quotas><default></default></quotas>
            <users>
                <{user}>
                    <password>{password}</password>
                    <networks><ip>127.0.0.1</ip></networks>
                    <profile>default</profile>
                    <quota>default</quota>
                </{user}>
            </users>
        </yandex>"
    )
}
