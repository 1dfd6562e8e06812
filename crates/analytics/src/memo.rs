//! A cache of results.

use std::{
    hash::{BuildHasher, Hash, RandomState},
    mem,
};

use crate::number_map::NumberMap;

/// Caches results by fingerprints of their sources.
///
/// Most headers of visitors were sent before. Fingerprints of 64 bits bound the
/// memory, however long the sources are. Each process keys them at random, so a
/// visitor cannot choose two texts with the same one.
///
/// Results come in two generations. A full young one becomes the old one, which is forgotten. So
/// results that are asked for often stay, although most sources of a busy site are rare.
#[derive(Debug)]
pub(crate) struct Memo<V> {
    key: RandomState,
    young: NumberMap<V>,
    old: NumberMap<V>,
    /// The most results of a generation.
    most: usize,
}

impl<V: Clone> Memo<V> {
    /// Caches at most `most` results.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            key: RandomState::new(),
            young: NumberMap::default(),
            old: NumberMap::default(),
            most: (most / 2).max(1),
        }
    }

    /// The result for a source, computed unless it is cached.
    pub(crate) fn get(&mut self, source: &(impl Hash + ?Sized), work_out: impl FnOnce() -> V) -> V {
        let fingerprint = self.key.hash_one(source);
        if let Some(known) = self.young.get(&fingerprint) {
            return known.clone();
        }
        let result = self.old.remove(&fingerprint).unwrap_or_else(work_out);
        if self.young.len() >= self.most {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(fingerprint, result.clone());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_often_is_worked_out_once() {
        let mut memo = Memo::new(4);
        let mut worked_out = Vec::new();
        for rare in 0..50 {
            for source in ["often".to_owned(), rare.to_string()] {
                let result = memo.get(&source, || {
                    worked_out.push(source.clone());
                    source.to_uppercase()
                });
                assert_eq!(result, source.to_uppercase());
                assert!(memo.young.len() + memo.old.len() <= 4);
            }
        }
        let often = worked_out.iter().filter(|source| *source == "often");
        assert_eq!((often.count(), worked_out.len()), (1, 51));
    }

    #[test]
    fn a_rare_result_is_worked_out_again() {
        let mut memo = Memo::new(2);
        let mut worked_out = 0;
        for source in ["a", "b", "c", "a"] {
            memo.get(source, || worked_out += 1);
        }
        assert_eq!(worked_out, 4);
    }
}
