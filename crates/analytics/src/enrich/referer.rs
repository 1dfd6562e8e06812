//! The host that a visitor came from.

use slugline_domain::referring_host;

use crate::bounds::{REFERER_MAX_BYTES, truncate};

/// The host of a `Referer` header, with the port unless it is the scheme's default; empty if the
/// header names none.
pub(crate) fn host(header: &str) -> String {
    let host = referring_host(header).unwrap_or_default();
    truncate(&host, REFERER_MAX_BYTES).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_host_is_an_empty_text() {
        assert_eq!(host("/path"), "");
    }

    #[test]
    fn a_host_beyond_the_bound_is_cut() {
        let header = format!("https://{}.example/", "a".repeat(200));
        assert_eq!(host(&header).len(), REFERER_MAX_BYTES);
    }
}
