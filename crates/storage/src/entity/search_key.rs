//! The key that is stored beside a link for searches.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use slugline_domain::Destination;

/// A short key that is equal for destinations that differ only in their query.
/// A URL itself may be too long for an index entry.
pub(crate) fn destination_key(destination: &Destination) -> String {
    let digest = Sha256::digest(destination.without_query().as_bytes());
    let (half, _) = digest.split_at(16);
    half.iter()
        .fold(String::with_capacity(32), |mut key, byte| {
            write!(key, "{byte:02x}").expect("writing to a string does not fail");
            key
        })
}

#[cfg(test)]
mod tests {
    use slugline_testkit::destination;

    use super::*;

    #[test]
    fn the_key_ignores_the_query_alone() {
        let key = |url| destination_key(&destination(url));
        assert_eq!(key("https://e.example/a?x=1"), key("https://e.example/a"));
        assert_ne!(key("https://e.example/a#b"), key("https://e.example/a"));
        assert_eq!(key("https://e.example/a").len(), 32);
    }
}
