//! Links that vary like real ones, with predictable slugs.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use anyhow::Result;
use serde_json::json;

/// Increase this if the same number gives other links.
pub(crate) const VERSION: u32 = 1;

/// The first words of slugs, in turn.
pub(crate) const WORDS: [&str; 10] = [
    "summer", "shipping", "release", "pricing", "invoice", "podcast", "keynote", "recipe",
    "survey", "ticket",
];

/// The slug of a link by its number: `summer-0`, `shipping-1` and so on.
pub(crate) fn slug(i: u32) -> String {
    format!("{}-{i}", word(i))
}

/// The destination of a link by its number.
pub(crate) fn destination(i: u32) -> String {
    format!("https://shop.example/p/{i}?campaign={}", word(i))
}

/// Writes an export document with links number 0 and up.
pub(crate) fn write(path: &Path, links: u32) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    write!(file, r#"{{"version":"1.0","links":["#)?;
    for i in 0..links {
        let mut link = json!({
            "id": format!("bench-{i}"),
            "slug": slug(i),
            "url": destination(i),
            "createdAt": 1_700_000_000 + i, "updatedAt": 1_700_000_000 + i,
            // A tag on every hundredth link, and a tag on very few links.
            "tags": [format!("tag-{}", i % 100), if i % 100_000 == 0 { "rare" } else { "common" }],
        });
        if i % 3 == 0 {
            link["comment"] = format!("about {} and {}", word(i / 10), word(i)).into();
        }
        let comma = if i == 0 { "" } else { "," };
        write!(file, "{comma}{link}")?;
    }
    write!(file, "]}}")?;
    Ok(file.flush()?)
}

fn word(i: u32) -> &'static str {
    let at = usize::try_from(i).expect("Linux knows no smaller addresses than 32 bits");
    WORDS[at % WORDS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_is_a_document_with_the_slugs_it_promises() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("links.json");
        write(&file, 12).unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["links"].as_array().map(Vec::len), Some(12));
        assert_eq!(document["links"][11]["slug"], "shipping-11");
        assert_eq!(document["links"][11]["url"], destination(11));
        assert_eq!(slug(11), "shipping-11");
    }
}
