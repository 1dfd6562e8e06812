//! Entry points for `fuzz/`: headers of visitors.

use super::{
    bounds::{LANGUAGE_MAX_BYTES, NAME_MAX_BYTES, REFERER_MAX_BYTES},
    language, referer,
};
use crate::user_agent::Agent;

/// Takes bytes for each of the headers that the access log reads.
///
/// # Panics
/// A stored text is longer than its bound.
pub fn fuzz_visit_headers(bytes: &[u8]) {
    let header = String::from_utf8_lossy(bytes);
    let agent = Agent::parse(&header);
    for name in [&agent.os, &agent.browser, &agent.device] {
        assert!(name.len() <= NAME_MAX_BYTES, "{name}");
    }
    assert!(language::first_preference(&header).len() <= LANGUAGE_MAX_BYTES);
    assert!(referer::host(&header).len() <= REFERER_MAX_BYTES);
}
