//! `cargo xtask openapi`: the committed OpenAPI document, which a test of the server compares.

use std::fs;

use anyhow::{Context, Result};

use xtask::process;

/// Writes the document that the binary prints.
pub(crate) fn run() -> Result<()> {
    let document = process::stdout(&mut process::cargo("run --quiet -p slugline -- openapi"))?;
    serde_json::from_slice::<serde_json::Value>(&document)
        .context("`slugline openapi` did not print one JSON document")?;
    fs::write(process::root().join(PATH), document).with_context(|| format!("cannot write {PATH}"))
}

const PATH: &str = "docs/openapi.json";
