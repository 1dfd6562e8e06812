//! Entry points for `fuzz/`: pages of strangers.

use crate::page_text::text_of_html;

/// Takes bytes for a page.
///
/// # Panics
/// The text is longer than asked for, or has line breaks.
pub fn fuzz_page(bytes: &[u8]) {
    const MOST: usize = 40;
    let text = text_of_html(&String::from_utf8_lossy(bytes), MOST);
    assert!(text.chars().count() <= MOST);
    assert!(!text.contains(['\n', '\t', '\r']), "{text:?}");
}
