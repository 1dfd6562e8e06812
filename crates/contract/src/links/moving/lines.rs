//! Reads the lines of JSON that the SQL texts write, and that a client of a database may have spoilt or cut.
//!
//! The first line is a head, whose `probe` holds every character that clients are known to change, built from
//! bytes in the database. Lines `tag` and `condition` belong to the link that follows. The last line is an
//! end with the number of lines between.

use std::{io::BufRead, mem, ops::ControlFlow};

use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::{
    ReadLink,
    conditions::{rules, text},
    settle,
};
use crate::{Code, Problem, links::read_links_error::ReadLinksError};

type Record = Map<String, Value>;

const PROBE: &str = "\\\"\n\t\u{fc}\u{2028}\u{1f600}";

/// Returns whether a file that starts so was written by one of the texts, well or badly.
pub(in crate::links) fn begins_lines(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start).replace([' ', '\0', '\\'], "");
    let at = start.find("{\"k\":\"head\"");
    at.is_some_and(|at| at < 200)
}

/// Reads the links, and passes on each with its line until `each` breaks.
///
/// # Errors
/// The source cannot be read, its characters were changed, or it was cut. Links before the fault were passed on.
pub(in crate::links) fn read_lines(
    mut source: impl BufRead,
    zone: &TimeZone,
    each: &mut dyn FnMut(Option<u64>, ReadLink) -> ControlFlow<()>,
) -> Result<(), ReadLinksError> {
    let mut line = Vec::new();
    source.read_until(b'\n', &mut line)?;
    let of = head(&line).map_err(broken)?;
    let (mut seen, mut parts) = (0, Vec::new());
    for number in 2.. {
        line.clear();
        if source.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let found = match serde_json::from_slice::<Record>(&line) {
            Err(_) if line.trim_ascii().is_empty() => continue,
            Err(error) => unread(number, &error.to_string()),
            Ok(record) => match text(&record, "k") {
                "link" => whole(record, mem::take(&mut parts), &of, zone),
                "tag" | "condition" => {
                    seen += 1;
                    parts.push(record);
                    continue;
                }
                "end" => {
                    let lines = record.get("lines").and_then(Value::as_u64);
                    return match lines.filter(|lines| seen < *lines) {
                        Some(lines) => Err(broken(format!("the file has {seen} of {lines} lines"))),
                        None => Ok(()),
                    };
                }
                _ => unread(number, "it is no link, tag or condition"),
            },
        };
        seen += 1;
        if each(Some(number), found).is_break() {
            return Ok(());
        }
    }
    let told = "the last line is missing, so the file was cut: run the database's client again and see \
                what it says; a redirect hides its failure";
    Err(broken(told.into()))
}

fn unread(number: u64, why: &str) -> ReadLink {
    let detail = format!("line {number}: {why}");
    Err(Problem::new(Code::InvalidJson, detail)).into()
}

/// Makes an import of a link and of the tags and conditions before it.
fn whole(mut link: Record, parts: Vec<Record>, of: &str, zone: &TimeZone) -> ReadLink {
    let own = parts
        .into_iter()
        .filter(|part| part.get("link") == link.get("id"));
    let (conditions, tags): (Vec<_>, Vec<_>) = own.partition(|part| part.contains_key("rule"));
    let (rules, cuts) = rules(&conditions);
    let tags = tags.into_iter().filter_map(|mut tag| tag.remove("name"));
    link.insert("tags".into(), tags.collect());
    if !rules.is_empty() {
        link.insert("rules".into(), rules.into());
    }
    link.remove("k");
    let mut found = settle(link, of, zone);
    found.cuts.extend(cuts);
    found
}

fn broken(detail: String) -> ReadLinksError {
    Problem::new(Code::InvalidJson, detail).into()
}

/// Reads the first line, and returns the product, or what the client did to the line.
fn head(line: &[u8]) -> Result<String, String> {
    let start = String::from_utf8_lossy(line);
    let start = start.trim_start_matches('\u{feff}').trim();
    let head = serde_json::from_str::<Record>(start).unwrap_or_default();
    let probe = text(&head, "probe");
    let cause = if probe == PROBE {
        return Ok(text(&head, "of").to_owned());
    } else if line.contains(&0) {
        "the file is UTF-16, as PowerShell writes it; run the command in cmd or bash"
    } else if head.is_empty() && !start.starts_with('{') {
        "it adds lines or frames; run it with the options in the text's first lines"
    } else if head.is_empty() || probe.contains("\\n") {
        "it escapes backslashes or line breaks; give mariadb and mysql the option --raw"
    } else if probe.contains(['?', '\u{fffd}']) {
        "its character set lacks some; run the text as it is, with its line SET NAMES or \\encoding"
    } else {
        "characters became others, as in PowerShell; run the command in cmd or bash"
    };
    Err(format!("the database's client changed the text: {cause}"))
}
