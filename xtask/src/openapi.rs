//! `cargo xtask openapi`: the committed OpenAPI document.

use std::fs;

use anyhow::{Context, Result, bail};

use xtask::process;

/// Writes the document that the binary prints, or only compares it with the committed one.
pub(crate) fn run(check: bool) -> Result<()> {
    let current = printed_document()?;
    let path = process::root().join(PATH);
    if !check {
        return fs::write(&path, current).with_context(|| format!("cannot write {PATH}"));
    }
    // A missing file counts as out of date.
    compare(&fs::read(&path).unwrap_or_default(), &current)
}

const PATH: &str = "docs/openapi.json";

fn printed_document() -> Result<Vec<u8>> {
    let program = ["run", "--quiet", "-p", "slugline", "--", "openapi"];
    let document = process::stdout(process::cargo().args(program))?;
    serde_json::from_slice::<serde_json::Value>(&document)
        .context("`slugline openapi` did not print one JSON document")?;
    Ok(document)
}

fn compare(committed: &[u8], current: &[u8]) -> Result<()> {
    if committed != current {
        bail!("{PATH} is out of date: refresh it with `cargo xtask openapi`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_names_the_command_that_refreshes() {
        assert!(compare(b"{}", b"{}").is_ok());
        let error = compare(b"{}", b"{ }").unwrap_err().to_string();
        assert!(error.contains("`cargo xtask openapi`"), "{error}");
    }
}
