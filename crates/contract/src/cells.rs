//! Texts in the cells of tables.
//!
//! Spreadsheets run a cell that begins like a formula, so such a cell gets an apostrophe
//! in front, which the reader removes. A cell that begins with an apostrophe gets one,
//! too, so that the reader removes nothing else.

use std::borrow::Cow;

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
