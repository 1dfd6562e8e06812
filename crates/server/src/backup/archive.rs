//! The format of a backup.
//!
//! A line that names the format, a line about the backup, then its parts: a line with the
//! part's name and length, and its bytes. The last line has the SHA-256 digest of everything
//! before it, so that a reader detects a truncated file or a wrong bit. Every line but the
//! first is JSON.

use std::io::{self, Read, Write};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use slugline_domain::{UnixMillis, UnixSeconds};
use thiserror::Error;

use super::parts::BackupPart;

/// The beginning of the first line.
const MAGIC: &str = "slugline backup ";

/// The format that this version writes, and the newest that it reads.
const FORMAT: u32 = 1;

/// The maximum length of a line.
const LINE: usize = 1024;

/// Bytes copied at a time.
const PIECE: usize = 64 << 10;

/// The error in a backup.
#[derive(Debug, Error)]
pub(crate) enum ArchiveError {
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a backup.
    #[error("it is no backup of slugline")]
    Foreign,
    /// The file has a later version of the format.
    #[error(
        "it has format {found}, but this version knows formats up to {FORMAT}: use the version \
         of slugline that wrote it, or a newer one"
    )]
    Newer {
        /// The version of the file's format.
        found: u32,
    },
    /// The file is truncated.
    #[error("its end is missing: it was not written or not copied to the end")]
    Truncated,
    /// The file's bytes differ from those written.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
}

/// The line about a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct About {
    /// The version of slugline that wrote it.
    pub(crate) version: String,
    /// The moment when the backup began.
    pub(crate) made_at: UnixSeconds,
}

/// Writes a backup.
#[derive(Debug)]
pub(crate) struct ArchiveWriter<W> {
    to: W,
    digest: Sha256,
}

impl<W: Write> ArchiveWriter<W> {
    pub(crate) fn begin(to: W, about: &About) -> io::Result<Self> {
        let mut writer = Self {
            to,
            digest: Sha256::new(),
        };
        let line = json!({"version": about.version, "made_at": about.made_at.get()});
        writer.put(format!("{MAGIC}{FORMAT}\n{line}\n").as_bytes())?;
        Ok(writer)
    }

    /// Appends a part of `bytes` bytes.
    ///
    /// # Errors
    /// Writing fails, or `from` has another number of bytes.
    pub(crate) fn append(
        &mut self,
        part: BackupPart,
        bytes: u64,
        mut from: impl Read,
    ) -> io::Result<()> {
        let line = json!({"part": part.name(), "bytes": bytes});
        self.put(format!("{line}\n").as_bytes())?;
        let mut piece = vec![0; PIECE];
        let mut left = bytes;
        loop {
            let read = from.read(&mut piece)?;
            if read == 0 {
                break;
            }
            let length = u64::try_from(read).unwrap_or(u64::MAX);
            left = left
                .checked_sub(length)
                .ok_or_else(|| io::Error::other("a part grew while it was copied"))?;
            self.put(&piece[..read])?;
        }
        if left > 0 {
            return Err(io::Error::other("a part shrank while it was copied"));
        }
        Ok(())
    }

    /// Writes the last line and returns the file below.
    pub(crate) fn end(mut self) -> io::Result<W> {
        let line = json!({"end": hexadecimal(self.digest)});
        self.to.write_all(format!("{line}\n").as_bytes())?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.to.write_all(bytes)
    }
}

/// Reads a backup. Callers must not rely on any of its data before [`ArchiveReader::next`] has
/// returned `None`.
#[derive(Debug)]
pub(crate) struct ArchiveReader<R> {
    from: R,
    digest: Sha256,
    about: About,
    read: Vec<BackupPart>,
}

impl<R: Read> ArchiveReader<R> {
    pub(crate) fn begin(from: R) -> Result<Self, ArchiveError> {
        let mut reader = Self {
            from,
            digest: Sha256::new(),
            about: About {
                version: String::new(),
                made_at: UnixMillis::new(0).second(),
            },
            read: Vec::new(),
        };
        reader.read_magic()?;
        let line = reader.json_line()?;
        let version = line.get("version").and_then(Value::as_str);
        let made_at = line.get("made_at").and_then(Value::as_i64);
        let made_at = made_at.and_then(|second| UnixSeconds::new(second).ok());
        let (Some(version), Some(made_at)) = (version, made_at) else {
            return Err(ArchiveError::Damaged("its second line is unreadable"));
        };
        version.clone_into(&mut reader.about.version);
        reader.about.made_at = made_at;
        Ok(reader)
    }

    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// The next part and its length; the caller must then call [`ArchiveReader::copy`]. `None`
    /// at the end, if the digest is correct.
    pub(crate) fn next(&mut self) -> Result<Option<(BackupPart, u64)>, ArchiveError> {
        let digest = self.digest.clone();
        let line = self.json_line()?;
        if let Some(end) = line.get("end") {
            if end.as_str() != Some(hexadecimal(digest).as_str()) {
                return Err(ArchiveError::Damaged("its digest does not match"));
            }
            let more = self.from.read(&mut [0])?;
            return match more {
                0 => Ok(None),
                _ => Err(ArchiveError::Damaged("there is more after its end")),
            };
        }
        let name = line.get("part").and_then(Value::as_str);
        let part = name.and_then(BackupPart::named);
        let bytes = line.get("bytes").and_then(Value::as_u64);
        let (Some(part), Some(bytes)) = (part, bytes) else {
            return Err(ArchiveError::Damaged("the line of a part is unreadable"));
        };
        if self.read.contains(&part) {
            return Err(ArchiveError::Damaged("it has a part twice"));
        }
        self.read.push(part);
        Ok(Some((part, bytes)))
    }

    /// Copies the bytes of the part that [`ArchiveReader::next`] returned last.
    pub(crate) fn copy(&mut self, bytes: u64, mut to: impl Write) -> Result<(), ArchiveError> {
        let mut piece = vec![0; PIECE];
        let mut left = bytes;
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            let read = self.from.read(&mut piece[..wanted])?;
            if read == 0 {
                return Err(ArchiveError::Truncated);
            }
            self.digest.update(&piece[..read]);
            to.write_all(&piece[..read])?;
            left -= u64::try_from(read).unwrap_or(left);
        }
        to.flush()?;
        Ok(())
    }

    fn read_magic(&mut self) -> Result<(), ArchiveError> {
        let line = match self.line() {
            Err(ArchiveError::Io(error)) => return Err(error.into()),
            // An empty file, or one whose first line has no end.
            Err(_) => return Err(ArchiveError::Foreign),
            Ok(line) => line,
        };
        let format = line.strip_prefix(MAGIC).and_then(|text| text.parse().ok());
        match format {
            Some(FORMAT) => Ok(()),
            Some(found) if found > FORMAT => Err(ArchiveError::Newer { found }),
            Some(_) | None => Err(ArchiveError::Foreign),
        }
    }

    fn json_line(&mut self) -> Result<Value, ArchiveError> {
        let line = self.line()?;
        serde_json::from_str(&line).map_err(|_| ArchiveError::Damaged("a line is unreadable"))
    }

    /// A line without its end.
    fn line(&mut self) -> Result<String, ArchiveError> {
        let mut line = Vec::new();
        let mut byte = [0];
        loop {
            match self.from.read(&mut byte) {
                Ok(0) => return Err(ArchiveError::Truncated),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            self.digest.update(byte);
            if byte == *b"\n" {
                break;
            }
            if line.len() == LINE {
                return Err(ArchiveError::Damaged("a line is too long"));
            }
            line.push(byte[0]);
        }
        String::from_utf8(line).map_err(|_| ArchiveError::Damaged("a line is unreadable"))
    }
}

fn hexadecimal(digest: Sha256) -> String {
    use std::fmt::Write as _;

    let mut text = String::new();
    for byte in digest.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about() -> About {
        About {
            version: "0.1.0".into(),
            made_at: UnixSeconds::new(1_800_000_000).unwrap(),
        }
    }

    fn archive() -> Vec<u8> {
        let mut writer = ArchiveWriter::begin(Vec::new(), &about()).unwrap();
        let visits = vec![7; 3 * PIECE + 1];
        let length = u64::try_from(visits.len()).unwrap();
        writer
            .append(BackupPart::Visits, length, &visits[..])
            .unwrap();
        writer.append(BackupPart::Links, 5, &b"links"[..]).unwrap();
        writer.end().unwrap()
    }

    fn read(archive: &[u8]) -> Result<Vec<(BackupPart, Vec<u8>)>, ArchiveError> {
        let mut reader = ArchiveReader::begin(archive)?;
        assert_eq!(*reader.about(), about());
        let mut parts = Vec::new();
        while let Some((part, bytes)) = reader.next()? {
            let mut content = Vec::new();
            reader.copy(bytes, &mut content)?;
            parts.push((part, content));
        }
        Ok(parts)
    }

    #[test]
    fn what_was_written_is_read() {
        let parts = read(&archive()).unwrap();
        assert_eq!(parts[0].0, BackupPart::Visits);
        assert_eq!(parts[0].1.len(), 3 * PIECE + 1);
        assert_eq!(parts[1], (BackupPart::Links, b"links".to_vec()));
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn a_file_without_its_end_is_found_wherever_it_ends() {
        let archive = archive();
        let ends = (0..300).chain(archive.len() - 300..archive.len());
        for end in ends {
            assert!(read(&archive[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn one_wrong_bit_is_found_wherever_it_is() {
        let archive = archive();
        // The two lines at the beginning are compared by `read` itself.
        let offsets = (60..400).chain(archive.len() - 200..archive.len());
        for offset in offsets {
            let mut damaged = archive.clone();
            damaged[offset] ^= 1;
            assert!(read(&damaged).is_err(), "{offset}");
        }
    }

    #[test]
    fn a_newer_format_and_other_files_are_refused() {
        let text = String::from_utf8_lossy(&archive()).replacen("backup 1", "backup 2", 1);
        let error = read(text.as_bytes()).unwrap_err();
        assert!(matches!(error, ArchiveError::Newer { found: 2 }), "{error}");
        for other in ["", "slug", "SQLite format 3\0", "slugline backup one\n{}\n"] {
            let error = read(other.as_bytes()).unwrap_err();
            assert!(matches!(error, ArchiveError::Foreign), "{other:?}: {error}");
        }
    }

    #[test]
    fn more_after_the_end_is_refused() {
        let mut archive = archive();
        archive.push(b'\n');
        assert!(read(&archive).is_err());
    }

    #[test]
    fn a_part_has_the_length_that_its_line_says() {
        for length in [4, 6] {
            let mut writer = ArchiveWriter::begin(Vec::new(), &about()).unwrap();
            assert!(
                writer
                    .append(BackupPart::Links, length, &b"links"[..])
                    .is_err()
            );
        }
    }
}
