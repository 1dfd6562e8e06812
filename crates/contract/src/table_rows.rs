//! The rows of a table (CSV of RFC 4180), with the lines on which they begin.
//!
//! Readers that take any text for a table make one cell of all lines after a quote that is never
//! closed. Links must not vanish in a comment, so such a row is a fault here.
//!
//! Spreadsheets run a cell that begins like a formula, so such a cell gets an apostrophe in front, which
//! the reader removes. A cell that begins with an apostrophe gets one, too, so that the reader removes
//! nothing else.

use std::{
    borrow::Cow,
    io::{self, BufRead, BufReader, Chain, Cursor, Read},
};

use csv::{ByteRecord, StringRecord, Terminator, Writer, WriterBuilder};
use thiserror::Error;

use crate::source_start::skip_byte_order_mark;

/// Reads rows one after the other. The separator of cells is the one in the first line:
/// commas, semicolons (as spreadsheets write where a comma is the decimal sign) or tabs; or the one
/// that a line before it declares, such as `sep=;`.
pub(crate) struct Rows<R> {
    source: Whole<R>,
    separator: u8,
    /// The line of the next byte, from 1.
    line: u64,
    /// The cell that is being read.
    cell: Vec<u8>,
}

/// A row.
pub(crate) struct Row {
    /// The line on which the row begins, from 1.
    pub(crate) line: u64,
    /// The row's cells, or the reason why they cannot be told.
    pub(crate) cells: Result<StringRecord, RowFault>,
}

/// The reason why the cells of a row cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum RowFault {
    /// Bytes are not UTF-8.
    #[error("the text is not UTF-8; save the file as UTF-8")]
    NotUtf8,
    /// The table ends inside a quoted cell.
    #[error("the quote that begins on line {0} is never closed; nothing after it was read")]
    UnclosedQuote(u64),
    /// Text follows the quote that closes a cell.
    #[error(
        "the quote that begins on line {begins} is closed on line {ends}, and text follows it; \
         write a quote inside a cell twice"
    )]
    TextAfterQuote { begins: u64, ends: u64 },
}

/// The source, with its first line put back.
type Whole<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

const QUOTE: u8 = b'"';
/// The usual one is the last.
const SEPARATORS: &[u8] = b"\t;,";

impl<R: Read> Rows<R> {
    /// Reads the first line to learn the separator.
    pub(crate) fn new(source: R) -> io::Result<Self> {
        const LONGEST_HEADER: u64 = 64 << 10;
        let mut source = BufReader::new(source);
        skip_byte_order_mark(&mut source)?;
        let mut header = Vec::new();
        let mut start = source.by_ref().take(LONGEST_HEADER);
        start.read_until(b'\n', &mut header)?;
        let separator = match declared(&header) {
            Some(separator) => {
                header.drain(..first_line(&header).len());
                separator
            }
            None => separator_of(&header),
        };
        Ok(Self {
            separator,
            source: Cursor::new(header).chain(source),
            line: 1,
            cell: Vec::new(),
        })
    }

    /// Returns the next row and skips empty lines.
    ///
    /// # Errors
    /// The source cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Option<Row>> {
        while let Some(byte) = self.peek()?.filter(|byte| is_break(*byte)) {
            self.source.consume(1);
            self.end_line(byte)?;
        }
        if self.peek()?.is_none() {
            return Ok(None);
        }
        let line = self.line;
        let mut cells = ByteRecord::new();
        let mut fault = None;
        loop {
            let end = self.cell(&mut fault)?;
            cells.push_field(&self.cell);
            match end {
                Some(byte) if byte == self.separator => {}
                Some(byte) => {
                    self.end_line(byte)?;
                    break;
                }
                None => break,
            }
        }
        let cells = match fault {
            Some(fault) => Err(fault),
            None => StringRecord::from_byte_record(cells).map_err(|_| RowFault::NotUtf8),
        };
        Ok(Some(Row { line, cells }))
    }

    /// Returns the line that is being read.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Reads a cell and what ends it: the separator, a line break, or `None` for the end.
    fn cell(&mut self, fault: &mut Option<RowFault>) -> io::Result<Option<u8>> {
        self.cell.clear();
        if self.peek()? == Some(QUOTE) {
            self.source.consume(1);
            let begins = self.line;
            return self.quoted_cell(fault).map_err(|error| {
                let told = format!("in the quotes that begin on line {begins}: {error}");
                io::Error::new(error.kind(), told)
            });
        }
        self.take_to_end_of_cell()
    }

    /// Reads a cell after its first quote.
    fn quoted_cell(&mut self, fault: &mut Option<RowFault>) -> io::Result<Option<u8>> {
        let begins = self.line;
        loop {
            match self.take_until(|byte| byte == QUOTE || is_break(byte))? {
                Some(QUOTE) if self.peek()? == Some(QUOTE) => {
                    self.source.consume(1);
                    self.cell.push(QUOTE);
                }
                Some(QUOTE) => break,
                Some(first) => {
                    self.cell.push(first);
                    if self.end_line(first)? {
                        self.cell.push(b'\n');
                    }
                }
                None => {
                    fault.get_or_insert(RowFault::UnclosedQuote(begins));
                    return Ok(None);
                }
            }
        }
        let ends = self.line;
        let length = self.cell.len();
        let end = self.take_to_end_of_cell()?;
        if !self.cell[length..].trim_ascii().is_empty() {
            fault.get_or_insert(RowFault::TextAfterQuote { begins, ends });
        }
        self.cell.truncate(length);
        Ok(end)
    }

    fn take_to_end_of_cell(&mut self) -> io::Result<Option<u8>> {
        let separator = self.separator;
        self.take_until(|byte| byte == separator || is_break(byte))
    }

    /// Moves bytes into the cell, up to one that is returned.
    fn take_until(&mut self, is_end: impl Fn(u8) -> bool) -> io::Result<Option<u8>> {
        loop {
            let available = self.source.fill_buf()?;
            let length = available.len();
            if length == 0 {
                return Ok(None);
            }
            let end = available.iter().position(|byte| is_end(*byte));
            self.cell
                .extend_from_slice(&available[..end.unwrap_or(length)]);
            if let Some(end) = end {
                let byte = available[end];
                self.source.consume(end + 1);
                return Ok(Some(byte));
            }
            self.source.consume(length);
        }
    }

    /// Counts a line after the first character of its break. Returns whether there was a second
    /// one.
    fn end_line(&mut self, first: u8) -> io::Result<bool> {
        self.line += 1;
        let two = first == b'\r' && self.peek()? == Some(b'\n');
        if two {
            self.source.consume(1);
        }
        Ok(two)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.source.fill_buf()?.first().copied())
    }
}

/// Returns whether a byte is a line break, or the first half of one.
fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn first_line(start: &[u8]) -> &[u8] {
    let end = start.iter().position(|byte| is_break(*byte));
    &start[..end.unwrap_or(start.len())]
}

/// Returns the separator that a first line such as `sep=;` declares to Excel. A program that took this
/// line for a row put it in quotes, or filled the row up with empty cells by its own separator.
fn declared(start: &[u8]) -> Option<u8> {
    let line = first_line(start).iter().copied();
    let line: Vec<u8> = line.filter(|byte| *byte != QUOTE).collect();
    let (name, separators) = line.split_at_checked("sep=".len())?;
    let filling = separators.get(1..)?;
    let is_declared =
        name.eq_ignore_ascii_case(b"sep=") && filling.iter().all(|byte| SEPARATORS.contains(byte));
    separators.last().copied().filter(|_| is_declared)
}

fn separator_of(header: &[u8]) -> u8 {
    let line = first_line(header);
    let count = |separator: &u8| line.split(|byte| byte == separator).count();
    // Among equal counts the last separator wins.
    *SEPARATORS.iter().max_by_key(|s| count(s)).unwrap_or(&b',')
}

/// Returns the text of some rows of cells.
pub(crate) fn text_of_rows<R, C>(rows: impl Iterator<Item = R>) -> Vec<u8>
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

/// Returns a text as a cell.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    if text.starts_with(needs_apostrophe) {
        format!("'{text}").into()
    } else {
        text.into()
    }
}

/// Returns the text in a cell.
pub(crate) fn without_apostrophe(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.is_empty() || rest.starts_with(needs_apostrophe) => rest,
        Some(_) | None => cell,
    }
}

fn needs_apostrophe(first: char) -> bool {
    matches!(first, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '\'')
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
    #[case("a,b\r1,2\r\r3,4\r", &[1, 2, 4])]
    #[case("a,b\r\n\r\n1,2\r\n\n\r\n3,4\r\n", &[1, 3, 6])]
    #[case("a,b\n1,\"x\ny\"\n3,4\n", &[1, 2, 4])]
    #[case("a,b\r\n1,\"x\r\ny\r\n\"\r\n3,4\r\n\"p\nq\",5", &[1, 2, 5, 6])]
    #[case("\u{feff}a,b\r\n1,2\n3,4\r\n5,6", &[1, 2, 3, 4])]
    #[case("sep=;\r\na;b\r\n1;2", &[2, 3])]
    #[case("sep=;x\na;b", &[1, 2])]
    #[case("\"sep=;\"\r\na;b", &[2])]
    #[case("\u{feff}\n\na,b\n1\n2,3,4\n\"5\n\"", &[3, 4, 5, 6])]
    fn rows_begin_on_their_lines(#[case] text: &str, #[case] expected: &[u64]) {
        assert_eq!(lines(text), expected);
    }

    #[rstest]
    #[case("a,,\"\"\n", &["a", "", ""])]
    #[case("\"a,\"\"b\"\"\",\"\"\"\"", &["a,\"b\"", "\""])]
    #[case("\"a\r\nb\nc\rd\"", &["a\r\nb\nc\rd"])]
    #[case("a\"b, \"c\",", &["a\"b", " \"c\"", ""])]
    #[case("\"a\" ,\"b\"\t\n", &["a", "b"])]
    #[case("\"\"", &[""])]
    fn cells_are_what_they_quote(#[case] text: &str, #[case] cells: &[&str]) {
        assert_eq!(rows(text.as_bytes())[0].1, cells);
    }

    /// The lines of the rows, and their faults.
    fn faults(text: &str) -> Vec<(u64, Option<RowFault>)> {
        let mut rows = Rows::new(text.as_bytes()).unwrap();
        std::iter::from_fn(|| rows.next().unwrap())
            .map(|row| (row.line, row.cells.err()))
            .collect()
    }

    #[test]
    fn a_quote_that_is_never_closed_is_a_fault_of_its_row() {
        for end in ["", "\n", "\r\n", "\n\n"] {
            let text = format!("a,b\n1,2\n\"x\ny\",\"3\n4,5\n6,7{end}");
            let unclosed = RowFault::UnclosedQuote(4);
            assert_eq!(
                faults(&text),
                [(1, None), (2, None), (3, Some(unclosed))],
                "{text:?}"
            );
        }
        assert_eq!(faults("\""), [(1, Some(RowFault::UnclosedQuote(1)))]);
    }

    #[test]
    fn a_quote_that_is_closed_by_that_of_a_later_row_is_a_fault_too() {
        let fault = RowFault::TextAfterQuote { begins: 2, ends: 3 };
        assert_eq!(
            faults("a,b\n1,\"x\n2,\"y\"\n3,\"z\"\n"),
            [(1, None), (2, Some(fault)), (4, None)]
        );
    }

    #[test]
    fn a_row_longer_than_a_buffer_is_one_line() {
        let long = "x".repeat(100_000);
        assert_eq!(
            lines(&format!("a,b\r\n1,{long}\r\n3,\"{long}\"\r\n5,6")),
            [1, 2, 3, 4]
        );
    }

    #[rstest]
    #[case("slug;url\na;b\n")]
    #[case("slug\turl\na\tb\n")]
    #[case("slug,url\na,b\n")]
    #[case("slug,url\ra,b;c;d;e\r")]
    #[case("\u{feff}slug;url\r\na;b")]
    #[case("sep=;\r\nslug;url\r\na;b")]
    #[case("SEP=|\rslug|url\ra|b")]
    #[case("\"sep=;\"\r\nslug;url\r\na;b")]
    #[case("sep=;;;\nslug;url\na;b")]
    #[case("\"sep=,\";;\nslug;url\na;b,c,d")]
    #[case("sep=;,,\nslug,url\na,b;c;d")]
    #[case("\u{feff}sep=,\nslug,url\na,b;c;d;e")]
    fn the_header_tells_the_separator(#[case] text: &str) {
        let rows = rows(text.as_bytes());
        assert_eq!(rows[0].1, ["slug", "url"]);
        assert_eq!(rows[1].1[0], "a");
    }

    #[test]
    fn what_is_not_utf_8_has_a_line_too() {
        let mut rows = Rows::new(&b"a,b\r\n1,\xff\r\n"[..]).unwrap();
        rows.next().unwrap();
        let row = rows.next().unwrap().unwrap();
        assert_eq!((row.line, row.cells), (2, Err(RowFault::NotUtf8)));
    }

    #[test]
    fn a_source_that_fails_in_quotes_names_their_line() {
        #[derive(Debug)]
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("disk on fire"))
            }
        }
        let mut rows = Rows::new(b"a,b\n1,\"2\n".chain(Fails)).unwrap();
        rows.next().unwrap();
        let error = rows.next().err().unwrap();
        assert_eq!(
            error.to_string(),
            "in the quotes that begin on line 2: disk on fire"
        );
    }
}
