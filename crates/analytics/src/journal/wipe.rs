//! Salts in files that no process opens any more.
//!
//! A rebuild keeps the damaged file for a later examination, but without its salts: a salt and the
//! hashes of its period tell addresses. SQLite may be unable to find the salts in a damaged file,
//! so this module searches the bytes for their records, in the database and in its write-ahead log.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

use crate::{salt::SaltPeriod, visitor::VisitorKey};

/// The bytes that are searched at once.
const WINDOW: usize = 1 << 20;

/// The longest record of a salt: header, word, two numbers, salt.
const LONGEST: usize = 5 + 5 + 8 + 8 + VisitorKey::SALT_BYTES;

/// Overwrites every salt in a file. Returns how many there were.
pub fn wipe_salts(path: &Path) -> io::Result<u64> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let mut wiped = 0;
    let mut start = 0;
    let mut window = vec![0; WINDOW];
    loop {
        file.seek(SeekFrom::Start(start))?;
        let length = fill(&mut file, &mut window)?;
        let bytes = &window[..length];
        for at in 0..length {
            if let Some(salt) = salt_of_record(&bytes[at..]) {
                file.seek(SeekFrom::Start(start + offset(at + salt)))?;
                file.write_all(&[0; VisitorKey::SALT_BYTES])?;
                wiped += 1;
            }
        }
        if length < WINDOW {
            break;
        }
        // A record may continue in the next window.
        start += offset(WINDOW - LONGEST);
    }
    file.sync_all()?;
    Ok(wiped)
}

/// The offset of the salt in a record that begins here, if one does. A record has a header of five
/// bytes with the type and the length of each column ("Record Format" in SQLite's description of
/// its file format), then the columns.
fn salt_of_record(bytes: &[u8]) -> Option<usize> {
    const HEADER: usize = 5;
    const BLOB_OF_A_SALT: u8 = 12 + 2 * 32;

    let &[5, text, start, end, BLOB_OF_A_SALT] = bytes.first_chunk::<HEADER>()? else {
        return None;
    };
    let period = SaltPeriod::ALL.iter().copied().find(|period| {
        let word = period.as_str().as_bytes();
        usize::from(text) == 13 + 2 * word.len() && bytes[HEADER..].starts_with(word)
    })?;
    let salt = HEADER + period.as_str().len() + length_of_integer(start)? + length_of_integer(end)?;
    (bytes.len() >= salt + VisitorKey::SALT_BYTES).then_some(salt)
}

fn length_of_integer(kind: u8) -> Option<usize> {
    [0, 1, 2, 3, 4, 6, 8]
        .get(usize::from(kind))
        .copied()
        .or(matches!(kind, 8 | 9).then_some(0))
}

fn fill(file: &mut File, window: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < window.len() {
        match file.read(&mut window[length..])? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}

fn offset(bytes: usize) -> u64 {
    u64::try_from(bytes).expect("a pointer's size fits 64 bits")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use slugline_domain::UnixMillis;

    use super::*;
    use crate::journal::{blank, salts};

    #[test]
    fn every_salt_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = blank::open(&path);
        let now = UnixMillis::new(1_767_225_600_000);
        let mut stored = Vec::new();
        for (byte, &period) in (1..).zip(SaltPeriod::ALL) {
            let salt = [byte; VisitorKey::SALT_BYTES];
            salts::store(&db, period, period.span_at(now), &salt).unwrap();
            stored.push(salt);
        }
        // The write-ahead log has salts, too, and one crosses the edge of a window.
        let log = folder.path().join("a.db-wal");
        let logged = fs::read(&log).unwrap();
        let first = logged.windows(32).position(|window| window == stored[0]);
        let mut moved = vec![0; WINDOW - first.unwrap() - 7];
        moved.extend(&logged);
        let edge = folder.path().join("edge");
        fs::write(&edge, moved).unwrap();
        for path in [log, edge] {
            let before = fs::read(&path).unwrap();
            assert!(wipe_salts(&path).unwrap() >= 4);
            let left = fs::read(&path).unwrap();
            for salt in &stored {
                assert!(!left.windows(32).any(|window| window == salt));
            }
            assert_eq!(left.len(), before.len());
        }
    }
}
