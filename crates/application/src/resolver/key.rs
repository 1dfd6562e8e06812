//! The keys of the memory.

use std::hash::{BuildHasher, RandomState};

use slugline_domain::LinkKey;

/// A digest of a slug, which takes less memory than the slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u64; 2]);

/// Makes keys with two secrets of this process. Nobody can find slugs that share a key, and the
/// chance that any two of a billion slugs do is less than one in 10²⁰.
#[derive(Debug, Default)]
pub(super) struct Keys([RandomState; 2]);

impl Keys {
    pub(super) fn of(&self, key: &LinkKey) -> Key {
        let [first, second] = &self.0;
        Key([first.hash_one(key), second.hash_one(key)])
    }
}
