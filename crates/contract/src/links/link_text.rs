//! The JSON text of one link of an import.

use serde_json::{Value, value::RawValue};

use super::{import_link::ImportLink, import_names::IgnoredNames};
use crate::{
    code::Code,
    issue::{Issue, IssueCode},
    problem::Problem,
    reader::read,
};

/// The most values in the text of a link. Twenty rules of eight conditions with fifty values each, the
/// most that a link can hold beside a destination for every country, make some nine thousand. A parsed
/// value takes up to a hundred bytes of memory and two of the text, so the values of a text are
/// counted before it is parsed.
const MOST_VALUES: usize = 16_384;

/// Returns whether the parsed form of a text would be much larger than the text.
pub(super) fn is_heavy(json: &str) -> bool {
    let (mut values, mut in_text, mut escaped) = (1_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => values += 1,
            _ => {}
        }
    }
    values > MOST_VALUES
}

/// Reads a link of well-formed JSON, and notes its unknown members.
pub(super) fn read_link(text: &RawValue, names: &mut IgnoredNames) -> Result<ImportLink, Problem> {
    if is_heavy(text.get()) {
        return Err(Problem::invalid(vec![Issue {
            code: IssueCode::TooBig,
            path: Vec::new(),
            message: format!("Too big: a link holds at most {MOST_VALUES} values"),
            expected: "the members of one link".into(),
        }]));
    }
    let value: Value = serde_json::from_str(text.get()).map_err(|error| malformed(&error))?;
    names.look_at_link(&value)?;
    read(&value)
}

pub(super) fn malformed(error: &serde_json::Error) -> Problem {
    Problem::new(Code::InvalidJson, format!("Invalid JSON body: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_link_is_not_too_big() {
        let list = |parts: Vec<String>| format!("[{}]", parts.join(","));
        let values = list(vec!["\"a\"".into(); 50]);
        let rule = format!("{{\"when\":{},\"url\":\"b\"}}", list(vec![values; 8]));
        let rules = list(vec![rule; 20]);
        let geo = list(vec!["\"https://example.com/\"".into(); 300]);
        assert!(!is_heavy(&list(vec![rules, geo])));
    }

    #[test]
    fn values_are_counted_and_texts_are_not() {
        let zeros = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        assert!(!is_heavy(&zeros(MOST_VALUES - 1)));
        assert!(is_heavy(&zeros(MOST_VALUES)));
        assert!(is_heavy(&"{\"a\":".repeat(MOST_VALUES)));
        let text = ",[{\\\"".repeat(MOST_VALUES);
        assert!(!is_heavy(&format!("{{\"comment\": \"{text}\", \"b\": 0}}")));
    }
}
