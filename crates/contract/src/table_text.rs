//! Rows of a table as text: CSV of RFC 4180 in UTF-8.

use csv::{Terminator, Writer, WriterBuilder};

/// Returns the text of some rows of cells.
pub(crate) fn rows<R, C>(rows: impl Iterator<Item = R>) -> Vec<u8>
where
    R: IntoIterator<Item = C>,
    C: AsRef<[u8]>,
{
    let mut writer: Writer<Vec<u8>> = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).expect("memory takes every row");
    }
    writer.into_inner().expect("memory takes every row")
}
