//! Disk faults and clock jumps, set and lifted while the service runs.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::PathBuf,
    process::Command,
    sync::OnceLock,
};

use tempfile::NamedTempFile;

/// Makes system calls of one service fail, together with `shim.c`.
pub(crate) struct Faults {
    control: NamedTempFile,
}

/// The kind of failure, as `shim.c` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Calls that change a file fail as on a broken disk.
    IoError,
    /// Calls that change a file fail as on a full disk.
    Full,
    /// A write stops half-way, and later ones fail as on a full disk.
    Torn,
    /// Only sync calls fail.
    Unsynced,
    /// Only reads fail.
    Unreadable,
    /// Calls that change a file fail as on a disk that became read-only.
    ReadOnly,
    /// The process dies before a call that changes a file.
    Killed,
}

/// The files whose calls fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// All files of the links database.
    AnyFile,
    /// The database itself, to which a checkpoint writes.
    Pages,
    /// The write-ahead log, to which a commit writes.
    Log,
}

/// A fault to set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) target: Target,
    /// The first call that fails, counted from 1.
    pub(crate) first: u64,
    /// The number of failing calls.
    pub(crate) count: u64,
}

impl Fault {
    /// The count of a fault that stays until it is lifted.
    pub(crate) const FOREVER: u64 = 1 << 40;

    /// On any file.
    pub(crate) fn of(kind: Kind, first: u64, count: u64) -> Self {
        let target = Target::AnyFile;
        Self {
            kind,
            target,
            first,
            count,
        }
    }
}

impl Kind {
    pub(crate) const ALL: [Self; 6] = [
        Self::IoError,
        Self::Full,
        Self::Torn,
        Self::Unsynced,
        Self::Unreadable,
        Self::ReadOnly,
    ];

    /// The count of a fault of this kind that strikes one request.
    pub(crate) fn once(self) -> u64 {
        if self == Self::Torn { 2 } else { 1 }
    }

    fn number(self) -> u64 {
        let all = Self::ALL.iter();
        1 + position(all.chain([&Self::Killed]), &self)
    }
}

impl Target {
    fn number(self) -> u64 {
        position([Self::AnyFile, Self::Pages, Self::Log].iter(), &self)
    }
}

fn position<'t, T: PartialEq + 't>(mut all: impl Iterator<Item = &'t T>, one: &T) -> u64 {
    all.position(|other| other == one)
        .unwrap()
        .try_into()
        .unwrap()
}

/// The offset of each number in the file that the shim reads.
const KIND: u64 = 0;
const TARGET: u64 = 1;
const FIRST: u64 = 2;
const COUNT: u64 = 3;
const CALLS: u64 = 4;
const FAILED: u64 = 5;
const AHEAD: u64 = 6;
const NUMBERS: usize = 7;

impl Faults {
    /// No faults yet.
    pub(crate) fn none() -> Self {
        let control = NamedTempFile::new().unwrap();
        control
            .as_file()
            .set_len(u64::try_from(NUMBERS * 8).unwrap())
            .unwrap();
        Self { control }
    }

    /// Makes the command's program run with these faults.
    pub(crate) fn attach(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", library())
            .env("STORE_FAULTS", self.control.path());
    }

    /// As [`Self::attach`], on the files of the database whose path ends like this.
    pub(crate) fn attach_to(&self, database: &str, command: &mut Command) {
        self.attach(command);
        command.env("STORE_FAULTS_IN", database);
    }

    /// Makes calls fail from now on.
    pub(crate) fn set(&self, fault: Fault) {
        self.write(KIND, 0);
        for (offset, number) in [
            (TARGET, fault.target.number()),
            (FIRST, fault.first),
            (COUNT, fault.count),
            (CALLS, 0),
            (FAILED, 0),
        ] {
            self.write(offset, number);
        }
        self.write(KIND, fault.kind.number());
    }

    /// Ends the faults. Returns the number of calls that failed.
    pub(crate) fn lift(&self) -> u64 {
        self.write(KIND, 0);
        self.failed()
    }

    /// The number of calls that have failed since a fault was set.
    pub(crate) fn failed(&self) -> u64 {
        self.read(FAILED)
    }

    /// The number of calls that could have failed since a fault was set.
    pub(crate) fn calls(&self) -> u64 {
        self.read(CALLS)
    }

    fn read(&self, offset: u64) -> u64 {
        let mut number = [0; 8];
        self.file().read_exact_at(&mut number, offset * 8).unwrap();
        u64::from_ne_bytes(number)
    }

    /// Sets the service's clock this number of seconds ahead of the real one.
    pub(crate) fn set_clock_ahead(&self, seconds: i64) {
        let bytes = seconds.to_ne_bytes();
        self.file().write_all_at(&bytes, AHEAD * 8).unwrap();
    }

    fn write(&self, offset: u64, number: u64) {
        self.file()
            .write_all_at(&number.to_ne_bytes(), offset * 8)
            .unwrap();
    }

    fn file(&self) -> &File {
        self.control.as_file()
    }
}

/// The shim, compiled once for all tests of this run.
fn library() -> &'static PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        fs::create_dir_all(&folder).unwrap();
        let source = folder.join(format!("shim-{}.c", std::process::id()));
        fs::write(&source, include_str!("shim.c")).unwrap();
        // Compiles to a new name first: another run may have the old file open.
        let fresh = folder.join(format!("shim-{}.so", std::process::id()));
        let compiled = Command::new("cc")
            .args("-shared -fPIC -O1 -Wall -Wextra -Werror -o".split(' '))
            .args([&fresh, &source])
            .output()
            .unwrap_or_else(|error| panic!("cc, the C compiler that SQLite needs too: {error}"));
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{said}");
        let library = folder.join("shim.so");
        fs::rename(fresh, &library).unwrap();
        fs::remove_file(source).unwrap();
        library
    })
}
