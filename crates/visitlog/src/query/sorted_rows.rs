//! Sorts any number of rows of a list.
//!
//! Rows that do not fit into memory wait in a file without a name, in sorted parts. Reading merges
//! the parts.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    vec,
};

use rusqlite::Connection;
use slugline_analytics::journal::lock;
use slugline_domain::AccessRow;

/// Takes rows in any order.
#[derive(Debug)]
pub(crate) struct Collector {
    /// The access log; the file is written beside it.
    beside: Option<PathBuf>,
    held: Vec<AccessRow>,
    /// The memory of the rows.
    bytes: usize,
    most_bytes: usize,
    file: Option<File>,
    /// The ends of the parts in the file.
    ends: Vec<u64>,
}

impl Collector {
    /// Keeps at most this many bytes of rows in memory. The file is beside the one of this
    /// database.
    pub(crate) fn beside(db: &Connection, most_bytes: usize) -> Self {
        Self {
            beside: db.path().map(PathBuf::from),
            held: Vec::new(),
            bytes: 0,
            most_bytes,
            file: None,
            ends: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, row: AccessRow) -> io::Result<()> {
        self.bytes += size_of::<AccessRow>() + row.slug.len() + row.url.len() + 32;
        self.held.push(row);
        if self.bytes > self.most_bytes {
            self.write()?;
        }
        Ok(())
    }

    /// All rows, in order.
    pub(crate) fn finish(mut self) -> io::Result<SortedRows> {
        if self.file.is_some() {
            self.write()?;
        }
        let Some(file) = self.file else {
            self.held.sort_unstable_by(compare);
            return Ok(SortedRows::Held(self.held.into_iter()));
        };
        let file = Arc::new(file);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let mut parts = BinaryHeap::new();
        for (start, &end) in starts.zip(&self.ends) {
            let part = Part {
                file: Arc::clone(&file),
                next: start,
                end,
                read: Vec::new().into_iter(),
            };
            parts.extend(part.head()?.map(Reverse));
        }
        Ok(SortedRows::Merged(parts))
    }

    /// Moves the rows in memory into the file.
    fn write(&mut self) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => nameless(self.beside.as_deref())?,
        };
        self.held.sort_unstable_by(compare);
        let mut out = io::BufWriter::with_capacity(1 << 16, &mut file);
        let mut end = self.ends.last().copied().unwrap_or(0);
        for row in self.held.drain(..) {
            end += write_row(&mut out, &row)?;
        }
        out.flush()?;
        drop(out);
        self.ends.push(end);
        self.bytes = 0;
        self.file = Some(file);
        Ok(())
    }
}

/// Rows in order: most visits first, then by their texts.
#[derive(Debug)]
pub(crate) enum SortedRows {
    Held(vec::IntoIter<AccessRow>),
    /// The next row of each part, the first row on top.
    Merged(BinaryHeap<Reverse<Head>>),
}

impl SortedRows {
    /// The next rows, at most this many; none at the end.
    pub(crate) fn next(&mut self, most: usize) -> io::Result<Vec<AccessRow>> {
        match self {
            Self::Held(rows) => Ok(rows.by_ref().take(most).collect()),
            Self::Merged(parts) => {
                let mut rows = Vec::new();
                while rows.len() < most
                    && let Some(Reverse(Head { row, part })) = parts.pop()
                {
                    rows.push(row);
                    parts.extend(part.head()?.map(Reverse));
                }
                Ok(rows)
            }
        }
    }
}

/// The next row of a part, and the rest.
#[derive(Debug)]
pub(crate) struct Head {
    row: AccessRow,
    part: Part,
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.row, &other.row)
    }
}

/// A sorted part of the file.
#[derive(Debug)]
struct Part {
    file: Arc<File>,
    /// The offset of the unread rest.
    next: u64,
    end: u64,
    read: vec::IntoIter<u8>,
}

impl Part {
    /// The bytes read at a time; memory holds as many for each part.
    const PIECE: u64 = 1 << 15;

    /// Takes the next row.
    fn head(mut self) -> io::Result<Option<Head>> {
        if self.read.len() == 0 && self.next == self.end {
            return Ok(None);
        }
        let row = read_row(&mut self)?;
        Ok(Some(Head { row, part: self }))
    }
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read.len() == 0 {
            let piece = (self.end - self.next).min(Self::PIECE);
            let mut bytes = vec![0; usize::try_from(piece).unwrap_or(usize::MAX)];
            self.file.read_exact_at(&mut bytes, self.next)?;
            self.next += piece;
            self.read = bytes.into_iter();
        }
        let ready = self.read.as_slice();
        let count = ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&ready[..count]);
        if count > 0 {
            self.read.nth(count - 1);
        }
        Ok(count)
    }
}

fn compare(one: &AccessRow, other: &AccessRow) -> Ordering {
    let texts = || (&one.slug, &one.url).cmp(&(&other.slug, &other.url));
    other.visits.cmp(&one.visits).then_with(texts)
}

/// Writes a row. Returns the number of bytes.
fn write_row(out: &mut impl Write, row: &AccessRow) -> io::Result<u64> {
    let mut bytes = 0;
    for number in [row.visits, row.visitors, row.referers] {
        out.write_all(&number.to_le_bytes())?;
        bytes += 8;
    }
    for text in [&row.slug, &row.url] {
        let length = u64::try_from(text.len()).map_err(io::Error::other)?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(text.as_bytes())?;
        bytes += 8 + length;
    }
    Ok(bytes)
}

fn read_row(part: &mut Part) -> io::Result<AccessRow> {
    let [visits, visitors, referers] = [number(part)?, number(part)?, number(part)?];
    Ok(AccessRow {
        slug: text(part)?,
        url: text(part)?,
        visitors,
        visits,
        referers,
    })
}

fn number(part: &mut Part) -> io::Result<u64> {
    let mut bytes = [0; 8];
    part.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn text(part: &mut Part) -> io::Result<String> {
    let length = number(part)?;
    let left = part.end - part.next + u64::try_from(part.read.len()).unwrap_or(u64::MAX);
    if length > left {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    part.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// A file that no other program can open. It disappears with this process at the latest.
fn nameless(beside: Option<&Path>) -> io::Result<File> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let beside = beside.ok_or(io::ErrorKind::NotFound)?;
    let suffix = format!("-rows-{}-{}", process::id(), NUMBER.fetch_add(1, Relaxed));
    let path = lock::beside(beside, &suffix);
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(visits: u64, slug: &str, url: &str) -> AccessRow {
        AccessRow {
            slug: slug.into(),
            url: url.into(),
            visitors: visits / 2,
            visits,
            referers: 1,
        }
    }

    #[test]
    fn rows_come_in_order_whether_they_are_held_or_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let db = Connection::open(folder.path().join("a.db")).unwrap();
        let long = "ü".repeat(6_000);
        let rows: Vec<AccessRow> = (0..3_000_u64)
            .map(|n| {
                row(
                    n * 7_919 % 50,
                    &format!("s{}", n % 1_000),
                    &long[..n_bytes(n)],
                )
            })
            .collect();
        let mut expected = rows.clone();
        expected.sort_by(compare);
        for most_bytes in [1, 10_000, 200_000, usize::MAX] {
            let mut collector = Collector::beside(&db, most_bytes);
            for row in &rows {
                collector.push(row.clone()).unwrap();
                assert!(collector.held.len() < 2 || collector.bytes <= most_bytes);
            }
            let mut sorted = collector.finish().unwrap();
            let in_file = matches!(&sorted, SortedRows::Merged(parts) if parts.len() > 1);
            assert_eq!(in_file, most_bytes < usize::MAX);
            let mut found = Vec::new();
            loop {
                let some = sorted.next(700).unwrap();
                if some.is_empty() {
                    break;
                }
                found.extend(some);
            }
            assert!(found == expected, "with {most_bytes} bytes");
            assert!(sorted.next(1).unwrap().is_empty());
            // No file is visible.
            let names = fs::read_dir(folder.path()).unwrap();
            let names = names.map(|entry| entry.unwrap().file_name());
            assert!(names.into_iter().all(|name| name == "a.db"));
        }
    }

    fn n_bytes(n: u64) -> usize {
        usize::try_from(n % 60).unwrap() * 2
    }

    #[test]
    fn a_disk_that_takes_no_rows_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let db = Connection::open(folder.path().join("a.db")).unwrap();
        let mut collector = Collector::beside(&db, 1);
        drop(db);
        drop(folder);
        let error = collector.push(row(1, "a", "b")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
