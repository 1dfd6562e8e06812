//! Errors in words.

use std::error::Error;

/// An error and all its causes, in one line.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
