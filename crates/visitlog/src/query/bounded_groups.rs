//! Counts any number of groups in bounded memory: in shares of all hashes, each with a pass of its own over the
//! log.

use slugline_analytics::number_map::NumberMap;

use super::totals::Totals;
use crate::{file::limits::QuestionMemory, format::block::Block};

/// A range of hashes. Its groups are counted in the same pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HashRange {
    first: u64,
    last: u64,
}

impl HashRange {
    pub(crate) const ALL: Self = Self {
        first: 0,
        last: u64::MAX,
    };

    /// The next share, which is as large; `None` after the last one.
    fn after(self) -> Option<Self> {
        let first = self.last.checked_add(1)?;
        Some(Self {
            first,
            last: first.saturating_add(self.last - self.first),
        })
    }
}

/// The groups of one share, with their shown values.
#[derive(Debug)]
pub(crate) struct SharedGroups<T> {
    share: HashRange,
    /// The numbers of groups, by their hashes.
    numbers: NumberMap<usize>,
    /// The shown value of each group, by its number.
    shown: Vec<Option<T>>,
    /// Numbers that no group has any more.
    free: Vec<usize>,
    pub(crate) totals: Totals,
    /// The memory of all of `shown` besides [`GROUP_BYTES`].
    bytes: usize,
    most_bytes: usize,
}

/// The shown value of a group.
pub(crate) trait Shown {
    /// The bytes that it takes besides its own size.
    fn bytes(&self) -> usize;
}

impl<T: Shown> SharedGroups<T> {
    /// The bytes of a group: its number twice, its hash, its visits, and its shown value.
    const GROUP_BYTES: usize = 80 + size_of::<T>();

    pub(crate) fn within(memory: QuestionMemory, share: HashRange) -> Self {
        Self {
            share,
            numbers: NumberMap::default(),
            shown: Vec::new(),
            free: Vec::new(),
            totals: Totals::within(memory),
            bytes: 0,
            most_bytes: memory.groups() / 2,
        }
    }

    /// Adds all rows of a block whose groups are in the share. `group_of` finds the group
    /// of a row by [`SharedGroups::number`]. If there are too many groups for the memory, the
    /// share becomes smaller.
    pub(crate) fn add(
        &mut self,
        block: &Block,
        mut group_of: impl FnMut(&mut Numbers<'_, T>, usize) -> Option<usize>,
    ) {
        let Self {
            share,
            numbers,
            shown,
            free,
            totals,
            bytes,
            ..
        } = self;
        let mut numbers = Numbers {
            share: *share,
            groups: numbers,
            shown,
            free,
            bytes,
        };
        totals.add(block, |row| group_of(&mut numbers, row));
        while self.is_crowded() && self.numbers.len() > 1 {
            self.halve();
        }
    }

    /// The share to count next; `None` if this was the last one.
    pub(crate) fn next(&self) -> Option<HashRange> {
        self.share.after()
    }

    /// The groups, by their numbers.
    pub(crate) fn into_groups(self) -> (impl Iterator<Item = (usize, T)>, Totals) {
        let shown = (0..).zip(self.shown);
        let groups = shown.filter_map(|(group, shown)| Some((group, shown?)));
        (groups, self.totals)
    }

    fn is_crowded(&self) -> bool {
        self.bytes + self.numbers.len() * Self::GROUP_BYTES > self.most_bytes
            || self.totals.are_crowded(self.numbers.len())
    }

    /// Moves half of the groups to the next share.
    fn halve(&mut self) {
        let mut hashes: Vec<u64> = self.numbers.keys().copied().collect();
        let middle = (hashes.len() - 1) / 2;
        let (_, &mut last, _) = hashes.select_nth_unstable(middle);
        self.share.last = last;
        let (shown, free) = (&mut self.shown, &mut self.free);
        let (totals, bytes) = (&mut self.totals, &mut self.bytes);
        self.numbers.retain(|&hash, &mut group| {
            if hash > last {
                totals.take(group);
                *bytes -= shown[group].take().map_or(0, |shown| shown.bytes());
                free.push(group);
            }
            hash <= last
        });
    }
}

/// The numbers of groups, while rows are added.
#[derive(Debug)]
pub(crate) struct Numbers<'g, T> {
    share: HashRange,
    groups: &'g mut NumberMap<usize>,
    shown: &'g mut Vec<Option<T>>,
    free: &'g mut Vec<usize>,
    bytes: &'g mut usize,
}

impl<T: Shown> Numbers<'_, T> {
    /// The number of a group, if it is in the share. Hashes have to be evenly spread; equal hashes
    /// mean the same group.
    pub(crate) fn of(&mut self, hash: u64, shown: impl FnOnce() -> T) -> Option<usize> {
        if hash < self.share.first || self.share.last < hash {
            return None;
        }
        if let Some(&known) = self.groups.get(&hash) {
            return Some(known);
        }
        let shown = shown();
        *self.bytes += shown.bytes();
        let group = self.free.pop().unwrap_or_else(|| {
            self.shown.push(None);
            self.shown.len() - 1
        });
        self.shown[group] = Some(shown);
        self.groups.insert(hash, group);
        Some(group)
    }
}
