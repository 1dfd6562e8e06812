//! The JSON text of one link of an import.

use serde_json::{Value, value::RawValue};

use super::{
    import_link::ImportLink,
    import_names::IgnoredNames,
    many_values::{MOST_VALUES, has_too_many_values},
};
use crate::{
    Code, Problem,
    issue::{Issue, IssueCode},
    reader::read,
};

/// Reads a link of well-formed JSON, and notes its unknown members.
pub(super) fn read_link(text: &RawValue, names: &mut IgnoredNames) -> Result<ImportLink, Problem> {
    if has_too_many_values(text.get()) {
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
