//! The links that a node remembers.

use std::collections::{HashMap, VecDeque};

use super::zipf::Zipf;

/// A memory of the latest links. The resolver's own keeps frequent links longer than rare ones,
/// so it is asked for fewer.
#[derive(Debug)]
pub(super) struct Memory {
    most: usize,
    ttl: f64,
    links: HashMap<u32, Remembered>,
    /// Uses in their order. Only the last one of a link counts.
    uses: VecDeque<(u32, u64)>,
    count: u64,
}

#[derive(Debug)]
struct Remembered {
    last_use: u64,
    read_at: f64,
}

impl Memory {
    pub(super) fn new(most: u32, ttl: u32) -> Self {
        Self {
            most: usize::try_from(most).expect("usize has 32 bits or more"),
            ttl: f64::from(ttl),
            links: HashMap::new(),
            uses: VecDeque::new(),
            count: 0,
        }
    }

    /// The share of redirects for which the database is asked, at this many a second.
    pub(super) fn asked(mut self, mut zipf: Zipf, a_second: f64) -> f64 {
        /// Redirects that are counted.
        const COUNTED: u32 = 1_000_000;
        /// Redirects before them, for each link that fits: they fill the memory.
        const FILLING: usize = 4;

        let (mut now, mut asked) = (0.0, 0_u32);
        let filling = self.most.saturating_mul(FILLING);
        for _ in 0..filling {
            self.visit(zipf.pick(), now);
            now += 1.0 / a_second;
        }
        for _ in 0..COUNTED {
            asked += u32::from(self.visit(zipf.pick(), now));
            now += 1.0 / a_second;
        }
        f64::from(asked) / f64::from(COUNTED)
    }

    /// True if the database is asked for this link.
    fn visit(&mut self, link: u32, now: f64) -> bool {
        self.count += 1;
        self.uses.push_back((link, self.count));
        if let Some(known) = self.links.get_mut(&link) {
            known.last_use = self.count;
            let outdated = now - known.read_at > self.ttl;
            if outdated {
                known.read_at = now;
            }
            self.forget_old_uses();
            return outdated;
        }
        let (last_use, read_at) = (self.count, now);
        self.links.insert(link, Remembered { last_use, read_at });
        while self.links.len() > self.most {
            self.forget_old_uses();
            if let Some((oldest, _)) = self.uses.pop_front() {
                self.links.remove(&oldest);
            }
        }
        true
    }

    /// Afterwards the first use is the last one of its link.
    fn forget_old_uses(&mut self) {
        while let Some((link, number)) = self.uses.front() {
            let known = self.links.get(link);
            if known.is_some_and(|known| known.last_use == *number) {
                return;
            }
            self.uses.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_that_was_not_used_for_longest_is_forgotten() {
        let mut memory = Memory::new(2, 60);
        let asked: Vec<bool> = [1, 2, 1, 3, 1, 2]
            .map(|link| memory.visit(link, 0.0))
            .into();
        assert_eq!(asked, [true, true, false, true, false, true]);
        assert_eq!(memory.links.len(), 2);
    }

    #[test]
    fn a_link_is_read_again_after_its_time() {
        let mut memory = Memory::new(2, 60);
        assert!(memory.visit(1, 0.0));
        assert!(!memory.visit(1, 60.0));
        assert!(memory.visit(1, 61.0));
        assert!(!memory.visit(1, 100.0));
    }
}
