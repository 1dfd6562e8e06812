//! A cache of results.

use std::hash::{BuildHasher, Hash, RandomState};

use crate::number_map::NumberMap;

/// Caches results by fingerprints of their sources.
///
/// Most headers of visitors were sent before. Fingerprints of 64 bits bound the
/// memory, however long the sources are. Each process keys them at random, so a
/// visitor cannot choose two texts with the same one.
#[derive(Debug)]
pub(crate) struct Memo<V> {
    key: RandomState,
    known: NumberMap<V>,
    most: usize,
}

impl<V: Clone> Memo<V> {
    /// Caches at most `most` results; when it is full it starts over.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            key: RandomState::new(),
            known: NumberMap::default(),
            most,
        }
    }

    /// The result for a source, computed unless it is cached.
    pub(crate) fn get(&mut self, source: &(impl Hash + ?Sized), work_out: impl FnOnce() -> V) -> V {
        let fingerprint = self.key.hash_one(source);
        if let Some(known) = self.known.get(&fingerprint) {
            return known.clone();
        }
        if self.known.len() >= self.most {
            self.known.clear();
        }
        let result = work_out();
        self.known.insert(fingerprint, result.clone());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_worked_out_once_as_long_as_it_is_remembered() {
        let mut memo = Memo::new(2);
        let mut worked_out = Vec::new();
        for source in ["a", "b", "a", "b", "c", "a"] {
            let result = memo.get(source, || {
                worked_out.push(source);
                source.to_uppercase()
            });
            assert_eq!(result, source.to_uppercase());
            assert!(memo.known.len() <= 2);
        }
        assert_eq!(worked_out, ["a", "b", "c", "a"]);
    }
}
