//! The rows of a table, with the lines on which they begin.

use std::{
    cell::Cell,
    io::{self, BufRead, BufReader, Chain, Cursor, Read},
    rc::Rc,
};

use csv::{ByteRecord, Reader, ReaderBuilder, StringRecord};

/// Reads rows one after the other. The separator of cells is the one in the first line:
/// commas, semicolons (as spreadsheets write where a comma is the decimal sign) or tabs.
pub(crate) struct Rows<R> {
    table: Reader<Lines<R>>,
    line: Rc<Cell<u64>>,
    row: ByteRecord,
}

/// A row.
pub(crate) struct Row {
    /// The line on which the row begins, from 1.
    pub(crate) line: u64,
    /// The row's cells; `None` if they are not UTF-8.
    pub(crate) cells: Option<StringRecord>,
}

/// The source, with its first line put back.
type Whole<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

impl<R: Read> Rows<R> {
    /// Reads the first line to learn the separator.
    pub(crate) fn new(source: R) -> io::Result<Self> {
        const LONGEST_HEADER: u64 = 64 << 10;
        let mut source = BufReader::new(source);
        let mut header = Vec::new();
        let mut start = source.by_ref().take(LONGEST_HEADER);
        start.read_until(b'\n', &mut header)?;
        let separator = separator_of(&header);
        let line = Rc::new(Cell::new(1));
        let lines = Lines {
            source: Cursor::new(header).chain(source),
            breaks: 0,
            line: Rc::clone(&line),
        };
        let table = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator)
            .from_reader(lines);
        Ok(Self {
            table,
            line,
            row: ByteRecord::new(),
        })
    }

    /// Returns the next row and skips empty lines.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, csv::Error> {
        if !self.table.read_byte_record(&mut self.row)? {
            return Ok(None);
        }
        let cells = self.row.iter();
        let breaks = cells.flatten().filter(|byte| **byte == b'\n').count();
        let breaks = u64::try_from(breaks).unwrap_or(0);
        Ok(Some(Row {
            line: self.line.get().saturating_sub(breaks),
            cells: StringRecord::from_byte_record(self.row.clone()).ok(),
        }))
    }

    /// Returns the line that was read last.
    pub(crate) fn line(&self) -> u64 {
        self.line.get()
    }
}

fn separator_of(header: &[u8]) -> u8 {
    let count = |separator: &u8| header.split(|byte| byte == separator).count();
    // Among equal counts the last separator wins, which is the usual one.
    *b"\t;,".iter().max_by_key(|s| count(s)).unwrap_or(&b',')
}

/// Gives the reader of the table one line at a time, so that a row ends on the line that
/// was given last. The reader's own line count is wrong after a line break of two
/// characters: it takes the next row to begin before the second one.
struct Lines<R> {
    source: Whole<R>,
    breaks: u64,
    line: Rc<Cell<u64>>,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.source.fill_buf()?;
        let line_end = available.iter().position(|byte| *byte == b'\n');
        let length = line_end
            .map_or(available.len(), |end| end + 1)
            .min(buffer.len());
        let Some(part) = available.get(..length).filter(|part| !part.is_empty()) else {
            return Ok(0);
        };
        for (to, from) in buffer.iter_mut().zip(part) {
            *to = *from;
        }
        let ended = part.ends_with(b"\n");
        self.source.consume(length);
        self.line.set(self.breaks + 1);
        self.breaks += u64::from(ended);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn rows(text: &[u8]) -> Vec<(u64, Vec<String>)> {
        let mut rows = Rows::new(text).unwrap();
        let mut all = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let cells = row.cells.unwrap();
            all.push((row.line, cells.iter().map(str::to_owned).collect()));
        }
        all
    }

    fn lines(text: &str) -> Vec<u64> {
        rows(text.as_bytes()).into_iter().map(|row| row.0).collect()
    }

    #[rstest]
    #[case("a,b\n1,2\n3,4\n", &[1, 2, 3])]
    #[case("a,b\r\n1,2\r\n3,4", &[1, 2, 3])]
    #[case("a,b\r\n\r\n1,2\r\n\n\r\n3,4\r\n", &[1, 3, 6])]
    #[case("a,b\n1,\"x\ny\"\n3,4\n", &[1, 2, 4])]
    #[case("a,b\r\n1,\"x\r\ny\r\n\"\r\n3,4\r\n\"p\nq\",5", &[1, 2, 5, 6])]
    #[case("\u{feff}a,b\r\n1,2\n3,4\r\n5,6", &[1, 2, 3, 4])]
    fn rows_begin_on_their_lines(#[case] text: &str, #[case] expected: &[u64]) {
        assert_eq!(lines(text), expected);
    }

    #[test]
    fn a_row_longer_than_a_buffer_is_one_line() {
        let long = "x".repeat(100_000);
        assert_eq!(
            lines(&format!("a,b\r\n1,{long}\r\n3,{long}\r\n5,6")),
            [1, 2, 3, 4]
        );
    }

    #[rstest]
    #[case("slug;url\na;b\n")]
    #[case("slug\turl\na\tb\n")]
    #[case("slug,url\na,b\n")]
    #[case("\u{feff}slug;url\r\na;b")]
    fn the_header_tells_the_separator(#[case] text: &str) {
        let rows = rows(text.as_bytes());
        assert_eq!(rows[0].1, ["slug", "url"]);
        assert_eq!(rows[1].1, ["a", "b"]);
    }

    #[test]
    fn what_is_not_utf_8_has_a_line_too() {
        let mut rows = Rows::new(&b"a,b\r\n1,\xff\r\n"[..]).unwrap();
        rows.next().unwrap();
        let row = rows.next().unwrap().unwrap();
        assert_eq!((row.line, row.cells), (2, None));
    }
}
