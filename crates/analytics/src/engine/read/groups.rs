//! Rows put together by what is shown of them.

use std::cmp::Ordering;

use hashbrown::HashMap;
use slugline_domain::{RowLimit, SamplingInterval};

use super::{
    block::{Block, Chunk, Texts},
    dictionary::Interner,
    filter::RowFilter,
    scan::{Asked, Snapshot, largest_interval},
    selection::{index, keep_first, number, short},
    values::Values,
};
use crate::engine::{
    day::known::{self, Combinations, KnownDay},
    store::{
        columns::{Column, Family, TEXTS},
        error::EngineError,
    },
};
use crate::number_map::NumberMap;

/// The visits of each combination of texts in some columns of one family.
#[derive(Debug)]
pub(crate) struct Ranking<const N: usize> {
    columns: [usize; N],
    /// The groups of entries, by the fingerprints of all texts of their family.
    known: NumberMap<usize>,
    texts: [Interner; N],
    groups: HashMap<[u32; N], usize>,
    visits: Vec<u64>,
}

impl<const N: usize> Ranking<N> {
    /// Adds up the visits that meet conditions, days from their totals if possible, and says what the largest
    /// interval among them was. Of each text that chunks show again, only the
    /// first one is read.
    pub(crate) fn count(
        snapshot: &Snapshot<'_>,
        filter: &mut RowFilter,
        columns: [usize; N],
    ) -> Result<(Self, SamplingInterval), EngineError> {
        let mut ranking = Self {
            columns,
            known: NumberMap::default(),
            texts: std::array::from_fn(|_| Interner::default()),
            groups: HashMap::new(),
            visits: Vec::new(),
        };
        // A list of one column can be narrowed by its texts.
        let of = columns.first().copied().filter(|_| N == 1);
        let of_day = |day: &KnownDay<'_>| day.combinations(columns);
        let mut interval_max = known::take(snapshot, filter, of, of_day, |filter, known| {
            ranking.add_known(filter, &known);
        })?;
        let asked = columns.map(Column::Entries);
        let asked = Asked {
            columns: &[&asked[..], &[Column::Interval]].concat(),
            latest: None,
        };
        snapshot.scan_back(filter, asked, |block, chunk| {
            ranking.add(&block, chunk)?;
            interval_max = interval_max.max(largest_interval(&block));
            Ok(i64::MIN)
        })?;
        Ok((ranking, interval_max))
    }

    /// Adds the visits of entries that were counted before, and meet the conditions.
    fn add_known(&mut self, filter: &RowFilter, known: &Combinations<N>) {
        let Combinations { texts, visits } = known;
        for (entry, visits) in (0..).zip(visits) {
            let mut shown = self.columns.iter().zip(texts);
            if !shown.all(|(column, texts)| filter.admits_text(*column, texts.get(entry))) {
                continue;
            }
            let group = self.group(texts.each_ref(), entry);
            self.visits[group] += visits;
        }
    }

    /// Adds a block of some rows of a chunk, or of the tail. If there is an error
    /// nothing is added.
    fn add(&mut self, block: &Block, chunk: Option<&Chunk<'_>>) -> Result<(), EngineError> {
        let family = TEXTS[self.columns[0]].family;
        let entries = visits_of_entries(block, family);
        let groups = if let (Some(chunk), Some(keys)) = (chunk, block.keys(family)) {
            self.groups_of_keys(chunk, keys, &entries)?
        } else {
            let texts = self.columns.map(|column| block.texts(column));
            let with_visits = (0..).zip(&entries);
            let group = |(entry, &visits): (u32, &u64)| match visits {
                0 => usize::MAX,
                _ => self.group(texts, entry),
            };
            with_visits.map(group).collect()
        };
        for (visits, group) in entries.into_iter().zip(groups) {
            if visits > 0 {
                self.visits[group] += visits;
            }
        }
        Ok(())
    }

    /// The groups of entries that have visits.
    fn groups_of_keys(
        &mut self,
        chunk: &Chunk<'_>,
        keys: &[u64],
        visits: &[u64],
    ) -> Result<Vec<usize>, EngineError> {
        let mut new = Vec::new();
        let mut groups = Vec::with_capacity(visits.len());
        for ((entry, key), &visits) in keys.iter().enumerate().zip(visits) {
            let known = self.known.get(key).copied();
            if known.is_none() && visits > 0 {
                new.push(short(entry));
            }
            groups.push(known.unwrap_or(usize::MAX));
        }
        if new.is_empty() {
            return Ok(groups);
        }
        let mut texts: [Texts; N] = std::array::from_fn(|_| Texts::default());
        for (texts, column) in texts.iter_mut().zip(self.columns) {
            *texts = chunk.some_texts(column, &new)?;
        }
        for (place, entry) in (0..).zip(new) {
            let group = self.group(texts.each_ref(), place);
            self.known.insert(keys[index(entry)], group);
            groups[index(entry)] = group;
        }
        Ok(groups)
    }

    /// The group of what is shown of an entry.
    fn group(&mut self, texts: [&Texts; N], entry: u32) -> usize {
        let mut shown = [0; N];
        for (place, shown) in shown.iter_mut().enumerate() {
            *shown = self.texts[place].number(texts[place].get(entry));
        }
        let next = self.visits.len();
        let group = *self.groups.entry(shown).or_insert(next);
        if group == next {
            self.visits.push(0);
        }
        group
    }

    /// Labels of what is shown, unless there is none, with their visits.
    pub(crate) fn labels<'r, K>(
        &'r self,
        label: impl Fn([&'r str; N]) -> Option<K>,
    ) -> Vec<(K, u64)> {
        let labelled = |(shown, &group): (&[u32; N], &usize)| {
            let text = |place: usize| self.texts[place].texts.get(shown[place]);
            let label = label(std::array::from_fn(text))?;
            Some((label, self.visits[group]))
        };
        self.groups.iter().filter_map(labelled).collect()
    }
}

/// The labels with the most visits, then in their order; and how many there are.
pub(crate) fn ranked<K: Ord>(mut labels: Vec<(K, u64)>, limit: RowLimit) -> (Vec<(K, u64)>, u64) {
    let all = number(labels.len());
    keep_first(&mut labels, limit, most_first);
    (labels, all)
}

/// More visits come first, then what is shown decides.
pub(crate) fn most_first<K: Ord>(one: &(K, u64), other: &(K, u64)) -> Ordering {
    other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0))
}

/// The visits of each entry of a family.
pub(crate) fn visits_of_entries(block: &Block, family: Family) -> Vec<u64> {
    if let (Family::Target, Some(ends), Values::Same(interval)) =
        (family, &block.target_ends, &block.interval)
    {
        let starts = std::iter::once(&0).chain(ends);
        let rows = ends.iter().zip(starts).map(|(end, start)| end - start);
        return rows
            .map(|rows| u64::from(rows) * u64::from(*interval))
            .collect();
    }
    if let (Some(counts), Values::Same(interval)) = (&block.counts[family.index()], &block.interval)
    {
        let visits = |&rows: &u32| u64::from(rows) * u64::from(*interval);
        return counts.iter().map(visits).collect();
    }
    let mut visits = vec![0_u64; block.entries(family)];
    match (block.codes(family), &block.interval) {
        (Values::Same(entry), Values::Same(interval)) => {
            visits[index(*entry)] = number(block.rows) * u64::from(*interval);
        }
        (Values::Each(entries), Values::Same(interval)) => {
            for &entry in entries {
                visits[index(entry)] += 1;
            }
            for visits in &mut visits {
                *visits *= u64::from(*interval);
            }
        }
        (entries, Values::Each(intervals)) => {
            for (row, &interval) in intervals.iter().enumerate() {
                visits[index(entries.at(row))] += u64::from(interval);
            }
        }
    }
    visits
}
