//! Entry points for `fuzz/`: the content of an older instance's store.

use crate::{
    bulk_file::Loaded,
    entry::{Content, Stored},
};

/// Takes bytes for a bulk file, and for the value of an entry.
///
/// # Panics
/// Entries that are links and others do not add up, an entry has no name, or a
/// page is not found again.
pub fn fuzz_old_store(bytes: &[u8]) {
    if let Ok(loaded) = Loaded::of(bytes, 1_800_000_000) {
        loaded.assert_sound();
    }
    let stored = Stored {
        slug: Some("docs"),
        value: Content::Json(bytes),
        expiry: None,
        metadata: None,
    };
    let entry = stored.entry(b"link:docs");
    if let Ok(link) = entry.link {
        assert_eq!(link.slug.as_str(), "docs");
    }
}
