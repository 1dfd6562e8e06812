//! The folder for the temporary files of one run of the tests or the benchmarks.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result};
use tempfile::Builder;

use super::unix;
use crate::process;

/// A folder and a process, which stops the PostgreSQL server below the folder and deletes the folder
/// as soon as this process ends.
///
/// It waits for the end of its standard input, which the operating system closes at every end:
/// return, panic, Ctrl-C or `kill -9`. It has its own process group, so Ctrl-C does not reach
/// it.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    janitor: Child,
}

impl Temporary {
    /// Makes a folder in memory if there is room and the caller names no folder by `TMPDIR`.
    ///
    /// Each start of the service makes databases and waits until they are on the disk, for 0.2 to
    /// 0.3 seconds. Memory takes a quarter of that.
    pub(super) fn in_memory() -> Result<Self> {
        if env::var_os("TMPDIR").is_none() && memory_has_room() {
            Self::below(Path::new(MEMORY))
        } else {
            Self::on_disk()
        }
    }

    /// Makes a folder below the system's folder for temporary files.
    pub(super) fn on_disk() -> Result<Self> {
        Self::below(&env::temp_dir())
    }

    fn below(parent: &Path) -> Result<Self> {
        let folder = Builder::new().prefix("slugline-").tempdir_in(parent);
        let path = folder.context("no folder for temporary files")?.keep();
        let mut shell = process::program("sh");
        shell
            .args(["-c", DUTY, "janitor"])
            .args([&path, &path.join(POSTGRES).join("data/postmaster.pid")])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        unix::set_apart(&mut shell);
        let janitor = shell.spawn();
        let janitor = janitor.with_context(|| process::cannot_start(&shell))?;
        let folder = Self { path, janitor };
        // PostgreSQL may run by another account, which has to reach its folder.
        process::run(process::program("chmod").arg("711").arg(folder.path()))?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // `wait` closes the standard input of the child first.
        if let Err(error) = self.janitor.wait() {
            eprintln!("the test database may still run: {error}");
        }
    }
}

/// The folder of PostgreSQL below the temporary one.
pub(super) const POSTGRES: &str = "postgres";

/// SIGQUIT stops PostgreSQL at once, and root may send it, who must not run `pg_ctl`.
const DUTY: &str = r#"
cat > /dev/null
server=$(head -n 1 "$2") && kill -QUIT "$server" && while kill -0 "$server"; do sleep 0.1; done
rm -rf "$1"
"#;

/// The place of files in memory on Linux.
const MEMORY: &str = "/dev/shm";

/// True if both that file system and the memory of the machine have 4 GiB to spare.
fn memory_has_room() -> bool {
    let ask = format!("df --output=avail {MEMORY}; grep MemAvailable /proc/meminfo");
    let told = process::answer(process::program("sh").args(["-c", &ask])).unwrap_or_default();
    let kibibytes = told.split_whitespace().flat_map(str::parse::<u64>);
    kibibytes.filter(|spare| *spare >= 4 << 20).count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_and_its_files_are_gone_with_the_value() {
        let folder = Temporary::on_disk().unwrap();
        let path = folder.path().to_owned();
        std::fs::write(path.join("file"), "").unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}
