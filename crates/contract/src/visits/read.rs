//! Reads visits from a file of any size, one after the other.

use std::{
    io::{self, BufRead, BufReader, Read},
    ops::ControlFlow,
};

use flate2::read::MultiGzDecoder;
use serde_json::{Map, Value};
use slugline_domain::{
    Degrees, SamplingInterval, StoredVisit, UnixMillis, UnixSeconds, VisitColumn, VisitColumnKind,
    VisitTexts,
};
use strsim::damerau_levenshtein;
use thiserror::Error;

use super::{
    VisitFile, VisitFormat,
    file::{Column, REQUIRED, columns_of},
};
use crate::{
    metered::metered,
    source_start::skip_byte_order_mark,
    table_rows::{Row, Rows, without_apostrophe},
};

/// The reason why reading stopped.
#[derive(Debug, Error)]
pub enum ReadVisitsError {
    /// The source failed, or is not packed as its name says.
    #[error("the file cannot be read; nothing after line {line} was looked at")]
    Unreadable {
        /// The line that was read last.
        line: u64,
        /// The reason.
        source: io::Error,
    },
    /// A line is wrong.
    #[error("line {line}: {fault}")]
    Wrong {
        /// The line, from 1.
        line: u64,
        /// The fault, and the text that would be right.
        fault: String,
    },
}

/// Reads the visits of a file and passes each to `each`, until that breaks. Memory holds one
/// visit at a time. `texts` are the columns of texts that the access log has; one that the file
/// does not have is unknown in every visit.
///
/// # Errors
/// The source cannot be read, or a line of it is wrong. Visits before that line were passed on.
pub fn read_visits(
    VisitFile { format, gzip }: VisitFile,
    source: impl Read,
    texts: &[VisitColumn],
    each: &mut dyn FnMut(StoredVisit) -> ControlFlow<()>,
) -> Result<(), ReadVisitsError> {
    let mut unpacked: Box<dyn Read> = if gzip {
        Box::new(MultiGzDecoder::new(BufReader::new(source)))
    } else {
        Box::new(source)
    };
    let columns = columns_of(texts);
    match format {
        VisitFormat::Csv => read_table(&mut unpacked, &columns, each),
        VisitFormat::Ndjson => read_lines(&mut unpacked, &columns, each),
    }
}

/// The most bytes of one visit.
const LONGEST: usize = 1 << 20;

type Named = (&'static str, Column);

fn read_lines(
    source: impl Read,
    columns: &[Named],
    each: &mut dyn FnMut(StoredVisit) -> ControlFlow<()>,
) -> Result<(), ReadVisitsError> {
    let (source, meter) = metered(source, "line", LONGEST);
    let mut source = BufReader::new(source);
    skip_byte_order_mark(&mut source).map_err(|source| unreadable(0, source))?;
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        meter.begin_anew();
        let read = source.read_until(b'\n', &mut text);
        let line_before = line - 1;
        if read.map_err(|source| unreadable(line_before, source))? == 0 {
            break;
        }
        if text.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |fault| ReadVisitsError::Wrong { line, fault };
        let members = serde_json::from_slice::<Map<String, Value>>(&text);
        let members = members.map_err(|error| wrong(format!("is not a JSON object: {error}")))?;
        let visit = visit_of_members(&members, columns).map_err(wrong)?;
        if each(visit).is_break() {
            break;
        }
    }
    Ok(())
}

fn visit_of_members(
    members: &Map<String, Value>,
    columns: &[Named],
) -> Result<StoredVisit, String> {
    let mut known = 0;
    let visit = visit(columns, |name| {
        let found = members.get(name);
        known += usize::from(found.is_some());
        match found {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(Value::Bool(flag)) => Ok(Some(u8::from(*flag).to_string())),
            Some(Value::Array(_) | Value::Object(_)) => Err(format!(
                "column {name}: a list or an object cannot be here; write a text or a number"
            )),
        }
    })?;
    if known < members.len() {
        let unknown = members.keys().find(|name| !is_known(name, columns));
        return Err(unknown.map_or_else(String::new, |name| unknown_column(name, columns)));
    }
    Ok(visit)
}

fn read_table(
    source: impl Read,
    columns: &[Named],
    each: &mut dyn FnMut(StoredVisit) -> ControlFlow<()>,
) -> Result<(), ReadVisitsError> {
    let (source, meter) = metered(source, "row", LONGEST);
    let mut rows = Rows::new(source).map_err(|source| unreadable(0, source))?;
    let Some(header) = next_row(&mut rows)? else {
        let fault = format!(
            "the file is empty; its first line has to name columns: {}",
            names(columns)
        );
        return Err(ReadVisitsError::Wrong { line: 1, fault });
    };
    let header = cells_of(&header)?;
    let positions =
        positions(header, columns).map_err(|fault| ReadVisitsError::Wrong { line: 1, fault })?;
    loop {
        meter.begin_anew();
        let Some(row) = next_row(&mut rows)? else {
            return Ok(());
        };
        let cells = cells_of(&row)?;
        let wrong = |fault| ReadVisitsError::Wrong {
            line: row.line,
            fault,
        };
        if cells.len() != header.len() {
            let fault = format!(
                "the row has {} cells and the header {}; write as many",
                cells.len(),
                header.len()
            );
            return Err(wrong(fault));
        }
        let cell = |name: &'static str| {
            let position = columns.iter().position(|(known, _)| *known == name);
            let cell = position
                .and_then(|position| positions[position])
                .map(|cell| &cells[cell]);
            // The cell of an unknown text is empty.
            Ok(cell.map(|cell| without_apostrophe(cell).to_owned()))
        };
        if each(visit(columns, cell).map_err(wrong)?).is_break() {
            return Ok(());
        }
    }
}

fn next_row(rows: &mut Rows<impl Read>) -> Result<Option<Row>, ReadVisitsError> {
    let row = rows.next();
    row.map_err(|source| unreadable(rows.line(), source))
}

fn unreadable(line: u64, source: io::Error) -> ReadVisitsError {
    ReadVisitsError::Unreadable { line, source }
}

fn cells_of(row: &Row) -> Result<&csv::StringRecord, ReadVisitsError> {
    row.cells.as_ref().map_err(|fault| ReadVisitsError::Wrong {
        line: row.line,
        fault: fault.to_string(),
    })
}

/// Returns the cell of each column, if the header names it.
fn positions(header: &csv::StringRecord, columns: &[Named]) -> Result<Vec<Option<usize>>, String> {
    let header: Vec<&str> = header.iter().map(str::trim).collect();
    for (position, name) in header.iter().enumerate() {
        if !is_known(name, columns) {
            return Err(unknown_column(name, columns));
        }
        if header[..position].contains(name) {
            return Err(format!("the header names {name} twice; leave one out"));
        }
    }
    let position = |name: &str| header.iter().position(|known| *known == name);
    if let Some(missing) = REQUIRED.iter().find(|name| position(name).is_none()) {
        return Err(format!(
            "the header does not name the column {missing}; a file needs {}",
            REQUIRED.join(", ")
        ));
    }
    Ok(columns.iter().map(|(name, _)| position(name)).collect())
}

fn is_known(name: &str, columns: &[Named]) -> bool {
    columns.iter().any(|(known, _)| *known == name)
}

fn unknown_column(name: &str, columns: &[Named]) -> String {
    const NEAR: usize = 2;
    let near = columns
        .iter()
        .map(|(known, _)| *known)
        .filter(|known| damerau_levenshtein(known, name) <= NEAR)
        .min_by_key(|known| damerau_levenshtein(known, name));
    match near {
        Some(near) => format!("visits have no column {name:?}; did you mean {near}?"),
        None => format!(
            "visits have no column {name:?}; leave it out. They have {}",
            names(columns)
        ),
    }
}

/// Returns the names of the columns that an import reads.
fn names(columns: &[Named]) -> String {
    let is_read = |(_, column): &&Named| !matches!(column, Column::Derived(_));
    let read = columns.iter().filter(is_read);
    let names: Vec<&str> = read.map(|(name, _)| *name).collect();
    names.join(", ")
}

/// Makes a visit of its members, each by the name of its column; `None` is unknown.
fn visit(
    columns: &[Named],
    mut member: impl FnMut(&'static str) -> Result<Option<String>, String>,
) -> Result<StoredVisit, String> {
    let mut visit = StoredVisit {
        at: UnixMillis::new(0),
        link: String::new(),
        visitor: 0,
        interval: SamplingInterval::EVERY,
        coherent: true,
        texts: VisitTexts::default(),
    };
    for (name, column) in columns {
        let text = member(name)?.filter(|text| !text.is_empty());
        if text.is_none() && REQUIRED.contains(name) {
            return Err(format!("column {name}: is missing; every visit has it"));
        }
        let wrong = |expected: &str| {
            let shown: String = text.iter().flat_map(|text| text.chars()).take(40).collect();
            format!("column {name}: {shown:?} is wrong; write {expected}")
        };
        match (column, text.as_deref()) {
            (Column::Time, Some(text)) => {
                visit.at = moment(text).ok_or_else(|| {
                    wrong("the milliseconds since 1970, a whole number, such as 1767225600000")
                })?;
            }
            (Column::Link, Some(text)) => {
                if text.len() > LINK_MAX_BYTES || text.contains(char::is_control) {
                    return Err(wrong("the identity of a link, of at most 64 bytes"));
                }
                text.clone_into(&mut visit.link);
            }
            (Column::Visitor, Some(text)) => {
                let expected = "a whole number from 0 to 18446744073709551615";
                visit.visitor = text.parse().map_err(|_| wrong(expected))?;
            }
            (Column::Interval, Some(text)) => {
                let interval = text.parse().ok().and_then(SamplingInterval::new);
                visit.interval =
                    interval.ok_or_else(|| wrong("a whole number from 1 to 4294967295"))?;
            }
            (Column::Coherent, Some(text)) => {
                visit.coherent = match text.to_ascii_lowercase().as_str() {
                    "1" | "true" => true,
                    "0" | "false" => false,
                    _ => return Err(wrong("1 or 0")),
                };
            }
            (Column::Text(_, VisitColumnKind::Degrees), Some(text)) => {
                const MAX: f64 = 180.0;
                let degrees = text.parse::<f64>().ok();
                let degrees = degrees.filter(|degrees| degrees.abs() <= MAX);
                let degrees = degrees.ok_or_else(|| wrong("degrees, such as 51.31"))?;
                visit.texts.push(&Degrees::nearest(degrees).to_string());
            }
            (Column::Text(_, VisitColumnKind::Degrees), None) => visit.texts.push("0.00"),
            (Column::Text(_, VisitColumnKind::Text { max_bytes }), text) => {
                let text = text.unwrap_or_default();
                if text.len() > *max_bytes {
                    return Err(wrong(&format!(
                        "at most {max_bytes} bytes; it has {}",
                        text.len()
                    )));
                }
                visit.texts.push(text);
            }
            (Column::Derived(_), _)
            | (
                Column::Time | Column::Link | Column::Visitor | Column::Interval | Column::Coherent,
                None,
            ) => {}
        }
    }
    Ok(visit)
}

/// The most bytes of a link's identity. Ours have 36.
const LINK_MAX_BYTES: usize = 64;

fn moment(text: &str) -> Option<UnixMillis> {
    const END: i64 = UnixSeconds::MAX * 1_000;
    let millis = text.parse::<i64>().ok();
    millis
        .filter(|millis| (-END..=END).contains(millis))
        .map(UnixMillis::new)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use slugline_testkit::assert_matches;

    use super::*;
    use crate::visits::VisitText;

    const TEXTS: [VisitColumn; 4] = {
        const fn text(name: &'static str, max_bytes: usize) -> VisitColumn {
            VisitColumn {
                name,
                kind: VisitColumnKind::Text { max_bytes },
            }
        }
        [
            text("slug", 100),
            text("url", 100),
            text("user_agent", 20),
            VisitColumn {
                name: "latitude",
                kind: VisitColumnKind::Degrees,
            },
        ]
    };

    fn visits() -> Vec<StoredVisit> {
        let agents = ["", "=1+1", "a,\"b\"\r\nc", "'", "''=", "ü🦀\t", "-1", "\\N"];
        let visit = |(number, agent): (u64, &&str)| StoredVisit {
            at: UnixMillis::new(-1 + 1_767_225_600_000 * i64::try_from(number).unwrap()),
            link: "-docs_1".into(),
            visitor: u64::MAX - number,
            interval: SamplingInterval::new(1 << number).unwrap(),
            coherent: number % 2 == 0,
            texts: ["docs", "https://e.example/", agent, "-33.87"]
                .into_iter()
                .collect(),
        };
        (0..).zip(&agents).map(visit).collect()
    }

    fn read(file: VisitFile, text: &[u8]) -> Result<Vec<StoredVisit>, ReadVisitsError> {
        let mut all = Vec::new();
        read_visits(file, text, &TEXTS, &mut |visit| {
            all.push(visit);
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    #[rstest]
    fn what_is_written_is_read(
        #[values(VisitFormat::Csv, VisitFormat::Ndjson)] format: VisitFormat,
        #[values(false, true)] gzip: bool,
    ) {
        let file = VisitFile { format, gzip };
        let mut text = VisitText::new(file, &TEXTS);
        let visits = visits();
        let mut written = text.part(&visits[..3]);
        written.extend(text.part(&[]));
        written.extend(text.part(&visits[3..]));
        assert_eq!(text.written(), 8);
        written.extend(text.end());
        assert_eq!(read(file, &written).unwrap(), visits);
        // What was cut off is not taken for the whole.
        if gzip {
            let cut = &written[..written.len() - 4];
            assert_matches!(read(file, cut), Err(ReadVisitsError::Unreadable { .. }));
        } else {
            let marked = ["\u{feff}".as_bytes(), &written].concat();
            assert_eq!(read(file, &marked).unwrap(), visits);
        }
    }

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay_numbers() {
        let file = VisitFile {
            format: VisitFormat::Csv,
            gzip: false,
        };
        let text = VisitText::new(file, &TEXTS).part(&visits());
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(",'=1+1,-33.87,"), "{text}");
        assert!(!text.contains(",=") && !text.contains(",-1,"), "{text}");
    }

    #[rstest]
    #[case(
        r#"{"ts_ms":"x"}"#,
        "line 2: column ts_ms: \"x\" is wrong; write the milliseconds since 1970, a whole number, such as 1767225600000"
    )]
    #[case(
        r#"{"ts_ms":1}"#,
        "line 2: column link_id: is missing; every visit has it"
    )]
    #[case(
        r#"{"ts_ms":1,"link_id":"a","slug":"s","url":"u","visitor":-1}"#,
        "line 2: column visitor: \"-1\" is wrong; write a whole number from 0 to 18446744073709551615"
    )]
    #[case(
        r#"{"ts_ms":1,"link_id":"a","slug":"s","url":"u","visitor":1,"latitude":181}"#,
        "line 2: column latitude: \"181\" is wrong; write degrees, such as 51.31"
    )]
    #[case(
        r#"{"ts_ms":1,"link_id":"a","slug":"s","url":"u","visitor":1,"sampling_interval":0}"#,
        "line 2: column sampling_interval: \"0\" is wrong; write a whole number from 1 to 4294967295"
    )]
    #[case(
        r#"{"ts_ms":1,"link_id":"a","slug":"s","url":"u","visitor":1,"coherent":2}"#,
        "line 2: column coherent: \"2\" is wrong; write 1 or 0"
    )]
    #[case(r#"{"ts_ms":1,"link_id":"a","slug":"s","url":"u","visitor":1,"user_agent":"aaaaaaaaaaaaaaaaaaaaa"}"#, "line 2: column user_agent: \"aaaaaaaaaaaaaaaaaaaaa\" is wrong; write at most 20 bytes; it has 21")]
    #[case(
        r#"{"ts_ms":1,"link_id":"a","slug":"s","url":"u","visitor":1,"useragent":""}"#,
        "line 2: visits have no column \"useragent\"; did you mean user_agent?"
    )]
    #[case(
        r#"{"ts_ms":1,"link_id":[]}"#,
        "line 2: column link_id: a list or an object cannot be here; write a text or a number"
    )]
    #[case(
        "[1]",
        "line 2: is not a JSON object: invalid type: sequence, expected a map at line 1 column 0"
    )]
    fn a_wrong_line_is_named(#[case] line: &str, #[case] expected: &str) {
        let text = format!("\n{line}\n");
        let error = read(VisitFile::default(), text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[rstest]
    #[case(
        "",
        "line 1: the file is empty; its first line has to name columns: ts_ms, link_id, slug, url, user_agent, latitude, visitor, sampling_interval, coherent"
    )]
    #[case(
        "ts_ms,link_id,slug,visitor\n",
        "line 1: the header does not name the column url; a file needs ts_ms, link_id, slug, url, visitor"
    )]
    #[case(
        "ts_ms,link_id,slug,url,visitor,visitor\n",
        "line 1: the header names visitor twice; leave one out"
    )]
    #[case(
        "ts_ms,link_id,slug,url,visitor,county\n",
        "line 1: visits have no column \"county\"; leave it out. They have ts_ms, link_id, slug, url, user_agent, latitude, visitor, sampling_interval, coherent"
    )]
    #[case(
        "ts_ms,link_id,slug,url,visitor\n1,a,s,u,7\n2,a,\"s\ns\",u,\n",
        "line 3: column visitor: is missing; every visit has it"
    )]
    #[case(
        "ts_ms,link_id,slug,url,visitor\n1,a\n",
        "line 2: the row has 2 cells and the header 5; write as many"
    )]
    fn a_wrong_row_is_named(#[case] text: &str, #[case] expected: &str) {
        let file = VisitFile {
            format: VisitFormat::Csv,
            gzip: false,
        };
        assert_eq!(
            read(file, text.as_bytes()).unwrap_err().to_string(),
            expected
        );
    }

    #[test]
    fn a_line_without_an_end_does_not_fill_the_memory() {
        let file = VisitFile {
            format: VisitFormat::Csv,
            gzip: false,
        };
        let endless = io::repeat(b'"');
        let read = read_visits(file, endless, &TEXTS, &mut |_| ControlFlow::Continue(()));
        assert_matches!(read, Err(ReadVisitsError::Unreadable { .. }));
    }
}
