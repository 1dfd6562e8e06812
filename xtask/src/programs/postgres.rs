//! A private PostgreSQL server for one run of the tests or the benchmarks.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::{
    temporary::{self, Temporary},
    unix,
};
use crate::process;

/// A running server with an empty database, gone when this value is dropped.
#[derive(Debug)]
pub struct Cluster {
    url: String,
    programs: PathBuf,
    /// Its `Drop` stops the server.
    folder: Temporary,
}

impl Cluster {
    /// Starts a server on a free port and waits until it accepts connections. It is fast rather
    /// than durable: the data lasts for one run.
    pub fn start(programs: &Path) -> Result<Self> {
        Self::start_in(Temporary::in_memory()?, programs, FAST)
    }

    /// Starts a server that is durable, as PostgreSQL is by default.
    pub fn start_durable(programs: &Path) -> Result<Self> {
        Self::start_in(Temporary::on_disk()?, programs, "")
    }

    fn start_in(folder: Temporary, programs: &Path, settings: &str) -> Result<Self> {
        let place = Place::prepare(programs, &folder)?;
        place.initialize(settings)?;
        let port = place.start()?;
        println!(
            "PostgreSQL of {} listens on port {port}",
            programs.display()
        );
        let url = format!(
            "postgres://postgres@{}:{port}/postgres",
            Ipv4Addr::LOCALHOST
        );
        Ok(Self {
            url,
            programs: programs.to_owned(),
            folder,
        })
    }

    /// The server's URL for the tests; its user may create databases.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A folder for other files that last as long as the server.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A client program of the server's version, which takes the URL as its last argument.
    pub fn client(&self, name: &str) -> Command {
        process::program(self.programs.join(name))
    }
}

/// The folder of PostgreSQL's server programs: that of `PATH`, else Debian's newest.
pub fn programs() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).filter_map(|folder| {
        // The link's target is in the folder of the other programs.
        let initdb = folder.join("initdb").canonicalize().ok()?;
        Some(initdb.parent()?.to_owned())
    });
    on_path.chain(debian_folders()).find(|folder| {
        ["initdb", "postgres", "pg_ctl"]
            .iter()
            .all(|program| folder.join(program).exists())
    })
}

/// True if this process runs as root, which PostgreSQL refuses.
pub fn is_root() -> bool {
    process::answer(process::program("id").arg("-u")).is_some_and(|id| id == "0")
}

fn debian_folders() -> Vec<PathBuf> {
    let entries = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    newest_first(entries.flatten().map(|entry| entry.path()).collect())
}

fn newest_first(mut versions: Vec<PathBuf>) -> Vec<PathBuf> {
    let number = |folder: &PathBuf| folder.file_name()?.to_str()?.parse::<u32>().ok();
    versions.sort_by_key(|folder| std::cmp::Reverse(number(folder)));
    let folders = versions.into_iter().map(|folder| folder.join("bin"));
    folders.collect()
}

/// The folder of a cluster and the account that runs it.
#[derive(Debug)]
struct Place {
    programs: PathBuf,
    folder: PathBuf,
    owner: Option<Owner>,
}

/// The account for the server if this process runs as root.
#[derive(Clone, Copy, Debug)]
struct Owner {
    user: u32,
    group: u32,
}

impl Place {
    fn prepare(programs: &Path, temporary: &Temporary) -> Result<Self> {
        let owner = is_root().then(Owner::postgres).transpose()?;
        let folder = temporary.path().join(temporary::POSTGRES);
        fs::create_dir(&folder).context("PostgreSQL needs a folder")?;
        if let Some(Owner { user, group }) = owner {
            let mut chown = process::program("chown");
            process::run(chown.arg(format!("{user}:{group}")).arg(&folder))?;
        }
        Ok(Self {
            programs: programs.to_owned(),
            folder,
            owner,
        })
    }

    fn initialize(&self, more_settings: &str) -> Result<()> {
        // It collates unlike bytes do, as most servers out there: a query that relies on byte order
        // without saying so fails here.
        let options = "--auth=trust --username=postgres --encoding=UTF8 --no-sync \
                       --locale=C --locale-provider=icu --icu-locale=en -D";
        let mut initdb = self.command(&self.programs.join("initdb"));
        process::run_quietly(initdb.args(options.split(' ')).arg(self.data()))?;
        let path = self.data().join("postgresql.conf");
        let file = OpenOptions::new().append(true).open(&path);
        let settings = settings(&self.folder) + more_settings;
        file.and_then(|mut file| file.write_all(settings.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn start(&self) -> Result<u16> {
        // Another process may take a free port before the server does.
        self.start_once().or_else(|_| self.start_once())
    }

    fn start_once(&self) -> Result<u16> {
        let port = free_port()?;
        let mut pg_ctl = self.command(&self.programs.join("pg_ctl"));
        pg_ctl.args(["start", "-w", "-t", "60", "-o", &format!("-p {port}")]);
        pg_ctl.arg("-D").arg(self.data()).arg("-l").arg(self.log());
        process::run_quietly(&mut pg_ctl).with_context(|| {
            format!(
                "PostgreSQL says: {}",
                fs::read_to_string(self.log()).unwrap_or_default()
            )
        })?;
        Ok(port)
    }

    /// A command run by the owner, in a folder that the owner may enter.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.folder)
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        if let Some(Owner { user, group }) = self.owner {
            unix::run_by(&mut command, user, group);
        }
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }
}

impl Owner {
    fn postgres() -> Result<Self> {
        let number = |flag| process::answer(process::program("id").args([flag, "postgres"]));
        let owner = number("-u").zip(number("-g")).context(
            "PostgreSQL does not run as root, and there is no user `postgres` to run it: \
             install the package `postgresql` or run the tests as another user",
        )?;
        Ok(Self {
            user: owner.0.parse()?,
            group: owner.1.parse()?,
        })
    }
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
    Ok(listener.local_addr()?.port())
}

const FAST: &str = "fsync = off\n\
                    synchronous_commit = off\n\
                    full_page_writes = off\n";

/// Reachable only from this machine.
fn settings(sockets: &Path) -> String {
    let sockets = sockets.to_string_lossy().replace('\'', "''");
    format!(
        "listen_addresses = '{}'\n\
         unix_socket_directories = '{sockets}'\n\
         max_connections = 200\n",
        Ipv4Addr::LOCALHOST
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_debian_version_is_tried_first() {
        let versions = ["/pg/9", "/pg/17", "/pg/common", "/pg/15"]
            .map(PathBuf::from)
            .to_vec();
        let folders = newest_first(versions);
        assert_eq!(folders[0], Path::new("/pg/17/bin"));
        assert_eq!(folders[1], Path::new("/pg/15/bin"));
    }

    #[test]
    fn folder_is_quoted_in_the_settings() {
        let settings = settings(Path::new("/tmp/it's here"));
        assert!(settings.contains("unix_socket_directories = '/tmp/it''s here'\n"));
    }
}
