//! The sources of imports: files, standard input, and SQLite files of other products.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Read},
    thread::{self, JoinHandle},
};

use anyhow::Context;
use slugline_contract::LinkFile;
use slugline_legacy::databases::{DatabaseError, SQLITE_MAGIC, write_lines};

use super::STANDARD;

/// Links to read, in their form.
pub(super) struct Source {
    pub(super) form: LinkFile,
    pub(super) bytes: Box<dyn Read>,
    /// The number of bytes, if it is known.
    pub(super) length: Option<u64>,
    /// Writes the lines of a database into `bytes`.
    writer: Option<JoinHandle<Result<(), DatabaseError>>>,
}

impl Source {
    /// Opens a file; a SQLite file is told by its first bytes.
    pub(super) fn open(file: &str, format: Option<LinkFile>) -> anyhow::Result<Self> {
        let (bytes, length): (Box<dyn Read>, _) = if file == STANDARD {
            (Box::new(io::stdin()), None)
        } else {
            let opened = File::open(file).with_context(|| format!("cannot open {file}"))?;
            let about = opened.metadata()?;
            (Box::new(opened), about.is_file().then_some(about.len()))
        };
        let mut bytes = BufReader::new(bytes);
        let start = bytes.fill_buf();
        let start = start.with_context(|| format!("cannot read {file}"))?;
        if start.starts_with(SQLITE_MAGIC) {
            let ((lines, into), file) = (io::pipe()?, file.to_owned());
            let write = move || write_lines(file.as_ref(), &mut BufWriter::new(into));
            return Ok(Self {
                form: LinkFile::Lines,
                bytes: Box::new(lines),
                length: None,
                writer: Some(thread::spawn(write)),
            });
        }
        let told = LinkFile::of_start(start);
        Ok(Self {
            form: format.filter(|_| told != LinkFile::Lines).unwrap_or(told),
            bytes: Box::new(bytes),
            length,
            writer: None,
        })
    }

    /// Returns whether the same links can be read again.
    pub(super) fn is_lasting(&self) -> bool {
        self.length.is_some() || self.writer.is_some()
    }

    /// Says why the lines of a database ended, if it was a failure. Without it, the reader would report that
    /// they were cut.
    pub(super) fn end(self) -> anyhow::Result<()> {
        drop(self.bytes);
        let written = self
            .writer
            .map(|writer| writer.join().expect("it does not panic"));
        match written.unwrap_or(Ok(())) {
            // The reader stopped, and says why itself.
            Err(DatabaseError::Lines(_)) => Ok(()),
            ended => Ok(ended?),
        }
    }
}
