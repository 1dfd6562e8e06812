//! Losses that the database does not accept, because the disk is full or the file is locked, which
//! is when visits are lost. A small file beside the database has had its space since the start, so
//! the next start knows the losses even then.
//!
//! While a recorder runs, the file also has an entry for the visits that a kill would lose now. A
//! recorder that ends removes it, so a start that finds it knows that visits may be missing.

use std::{
    error::Error as StdError,
    fs::{File, TryLockError},
    hash::Hasher,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use siphasher::sip::SipHasher13;

use super::Loss;
use crate::journal::lock::beside;

/// The most losses in the file. Further losses are combined with others.
const MOST: usize = 2_000;

/// A checksum, a number that grows, and the number of losses.
const HEAD_BYTES: usize = 24;
const LOSS_BYTES: usize = 24;

/// The bytes of a state. The file has two; a write replaces the older one, so one of them is always
/// whole.
const STATE_BYTES: usize = HEAD_BYTES + MOST * LOSS_BYTES;

/// The file. Its lock belongs to the process that writes it. A process that starts beside another
/// one leaves the file alone until the other has ended, because the other may still store the
/// visits that its entries expect to be lost.
#[derive(Debug, Default)]
pub(crate) struct LossFile {
    /// `None` if this process keeps no such file.
    path: Option<PathBuf>,
    /// `None` while another process has the file.
    file: Option<File>,
    /// The number of the newest state.
    newest: u64,
    /// The entries of the newest state.
    held: Vec<Loss>,
    /// The entries that are losses.
    losses: Vec<Loss>,
    /// The entry of visits that a kill would lose now.
    expected: Option<Loss>,
}

impl LossFile {
    /// The file beside a database. The first [`LossFile::take`] opens it.
    pub(crate) fn beside(database: Option<&str>) -> Self {
        let path = database.filter(|path| !path.is_empty());
        Self {
            path: path.map(|path| beside(Path::new(path), "-losses")),
            ..Self::default()
        }
    }

    /// Takes the file unless this process has it, and creates it if there is none. Returns true if
    /// it is taken now: then [`LossFile::held`] are entries of a process that has ended.
    pub(crate) fn take(&mut self) -> bool {
        let Some(path) = self.path.as_ref().filter(|_| self.file.is_none()) else {
            return false;
        };
        match open(path) {
            Ok(Some((file, newest, held))) => {
                (self.file, self.newest, self.held) = (Some(file), newest, held);
                true
            }
            // Another process has it.
            Ok(None) => false,
            Err(error) => {
                let error: &(dyn StdError + 'static) = &error;
                tracing::warn!(
                    error,
                    "the number of lost visits will not outlast a kill, or a full disk"
                );
                self.path = None;
                false
            }
        }
    }

    /// True while another process has the file.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.path.is_some() && self.file.is_none()
    }

    /// Leaves the file as it is to the next [`LossFile::take`].
    pub(crate) fn leave(&mut self) {
        self.file = None;
    }

    /// The entries of the file.
    pub(crate) fn held(&self) -> &[Loss] {
        &self.held
    }

    /// Replaces the losses in the file by these.
    pub(crate) fn hold(&mut self, losses: Vec<Loss>) {
        self.losses = losses;
        self.write();
    }

    /// Replaces the entry of visits that a kill would lose now.
    pub(crate) fn expect(&mut self, expected: Option<Loss>) {
        self.expected = expected;
        self.write();
    }

    /// Nothing can be done if that fails.
    fn write(&mut self) {
        let entries = [&self.losses[..], self.expected.as_slice()].concat();
        let Some(mut file) = self.file.as_ref().filter(|_| entries != self.held) else {
            return;
        };
        let number = self.newest + 1;
        let mut write = || -> io::Result<()> {
            let offset = u64::try_from(STATE_BYTES).map_err(io::Error::other)? * (number % 2);
            file.seek(SeekFrom::Start(offset))?;
            file.write_all(&state(number, &entries))?;
            file.sync_data()
        };
        match write() {
            Ok(()) => (self.newest, self.held) = (number, entries),
            Err(error) => {
                let error: &(dyn StdError + 'static) = &error;
                tracing::debug!(error, "losses are not written down yet");
            }
        }
    }
}

/// Opens the file and locks it. Returns it with the number and the entries of its newest state, or
/// `None` if another process has the lock.
fn open(path: &Path) -> io::Result<Option<(File, u64, Vec<Loss>)>> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    match file.try_lock() {
        // Some network file systems do not support locks.
        Ok(()) | Err(TryLockError::Error(_)) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
    }
    let mut bytes = vec![0; 2 * STATE_BYTES];
    let room = u64::try_from(bytes.len()).map_err(io::Error::other)?;
    if file.metadata()?.len() != room {
        file.set_len(0)?;
        // Written zeros take space on the disk; a file that is only made longer takes none.
        file.write_all(&bytes)?;
        file.sync_all()?;
    }
    file.rewind()?;
    file.read_exact(&mut bytes)?;
    let (one, other) = bytes.split_at(STATE_BYTES);
    let states = [one, other].into_iter().filter_map(read);
    let (newest, held) = states.max_by_key(|&(number, _)| number).unwrap_or_default();
    Ok(Some((file, newest, held)))
}

fn state(number: u64, losses: &[Loss]) -> Vec<u8> {
    let mut numbers = vec![number];
    let losses = Loss::few(losses, MOST);
    numbers.push(u64::try_from(losses.len()).unwrap_or(u64::MAX));
    for loss in losses {
        let (from, until) = (loss.from.cast_unsigned(), loss.until.cast_unsigned());
        numbers.extend([from, until, loss.visits]);
    }
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    [&checksum(&bytes).to_le_bytes()[..], &bytes].concat()
}

/// A state's number and losses, if it is whole.
fn read(bytes: &[u8]) -> Option<(u64, Vec<Loss>)> {
    let (numbers, _) = bytes.as_chunks::<8>();
    let mut numbers = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes));
    let (sum, number, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let count = usize::try_from(count).ok().filter(|&count| count <= MOST)?;
    if checksum(&bytes[8..HEAD_BYTES + count * LOSS_BYTES]) != sum {
        return None;
    }
    let loss = |_| {
        Some(Loss {
            from: numbers.next()?.cast_signed(),
            until: numbers.next()?.cast_signed(),
            visits: numbers.next()?,
        })
    };
    Some((number, (0..count).map_while(loss).collect()))
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(minute: i64, visits: u64) -> Loss {
        Loss {
            from: minute,
            until: minute,
            visits,
        }
    }

    fn open(folder: &tempfile::TempDir) -> LossFile {
        let path = folder.path().join("a.db");
        let mut file = LossFile::beside(path.to_str());
        assert!(file.take() && !file.take());
        file
    }

    #[test]
    fn what_is_held_outlasts_a_restart_in_the_room_there_was_from_the_start() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(open(&folder).held(), []);
        let length = || {
            std::fs::metadata(folder.path().join("a.db-losses"))
                .unwrap()
                .len()
        };
        let before = length();
        for losses in [
            vec![loss(1, 2)],
            vec![loss(-7, 2), loss(9, u64::MAX)],
            (0..2_000).map(|minute| loss(minute, 3)).collect(),
            vec![],
        ] {
            open(&folder).hold(losses.clone());
            assert_eq!(open(&folder).held(), losses);
            assert_eq!(length(), before);
        }
        let very_many = (0..5_000).map(|minute| loss(minute, 1)).collect();
        open(&folder).hold(very_many);
        let visits: u64 = open(&folder).held().iter().map(|loss| loss.visits).sum();
        assert_eq!((visits, length()), (5_000, before));
    }

    #[test]
    fn a_running_process_keeps_its_entries_from_one_that_starts_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut running = open(&folder);
        running.expect(Some(loss(7, 1)));
        running.hold(vec![loss(5, 2)]);
        let mut beside = LossFile::beside(folder.path().join("a.db").to_str());
        assert!(!beside.take());
        beside.expect(Some(loss(8, 1)));
        assert_eq!((beside.held(), running.held().len()), (&[][..], 2));
        drop(running);
        assert!(beside.take());
        assert_eq!(beside.held(), [loss(5, 2), loss(7, 1)]);
        beside.hold(Vec::new());
        assert_eq!(beside.held(), [loss(8, 1)]);
        beside.expect(None);
        drop(beside);
        assert_eq!(open(&folder).held(), []);
    }

    #[test]
    fn a_state_that_was_not_written_to_its_end_leaves_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = open(&folder);
        file.hold(vec![loss(1, 2)]);
        file.hold(vec![loss(1, 2), loss(2, 5)]);
        drop(file);
        let path = folder.path().join("a.db-losses");
        let whole = std::fs::read(&path).unwrap();
        for torn in 0..HEAD_BYTES + 2 * LOSS_BYTES {
            let mut bytes = whole.clone();
            // The second state is the first in the file.
            bytes[torn] ^= 0x10;
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(open(&folder).held(), [loss(1, 2)]);
        }
    }
}
