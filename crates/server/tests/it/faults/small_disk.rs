//! A real disk of a few megabytes, and files that fill it.

use std::{
    fs,
    io::{BufRead, BufReader, ErrorKind, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// A file system in memory, mounted in a namespace of its own, which needs no privilege on most
/// systems.
pub(crate) struct SmallDisk {
    /// Keeps the mount while its standard input is open.
    holder: Child,
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts a file system of `bytes` bytes over this folder. `None` if the system allows no
    /// mounts, as in some containers.
    pub(crate) fn mount(folder: &Path, bytes: u64) -> Option<Self> {
        let script = format!(
            "mount -t tmpfs -o size={bytes} none '{}' && echo mounted && read -r _",
            folder.display()
        );
        let mut holder = Command::new("unshare")
            .args(["-rm", "sh", "-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut line = String::new();
        let mut said = BufReader::new(holder.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        if line != "mounted\n" {
            holder.wait().unwrap();
            return None;
        }
        let folder = folder.to_owned();
        Some(Self { holder, folder })
    }

    /// The shell commands that put a program into the namespace of the disk.
    pub(crate) fn preparation(&self) -> String {
        let holder = self.holder.id();
        // The outer shell would run the remaining commands, so `exec` replaces it at once.
        format!("trap '' XFSZ; exec nsenter -t {holder} -U -m --preserve-credentials \"$0\" \"$@\"")
    }

    /// Fills the disk except for about `left` bytes.
    pub(crate) fn fill(&self, left: u64) {
        const BLOCK: usize = 4096;

        let mut file = fs::File::create(self.filler()).unwrap();
        loop {
            match file.write_all(&[0; BLOCK]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(left)).unwrap();
    }

    pub(crate) fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }

    /// The file that fills the disk, as seen from outside.
    fn filler(&self) -> PathBuf {
        let inside = self.folder.strip_prefix("/").unwrap();
        Path::new("/proc")
            .join(self.holder.id().to_string())
            .join("root")
            .join(inside)
            .join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}
