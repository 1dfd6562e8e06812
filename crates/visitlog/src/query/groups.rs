//! Groups rows by the values that the answer shows.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashMap;
use slugline_analytics::{columns::TEXTS, number_map::NumberMap};
use slugline_domain::RowLimit;

use super::{
    distinct::DistinctCounts,
    filter::RowFilter,
    frequent::{BYTES_TO_COUNT_ALL, First, at_least, few, most_first},
    plan::Plan,
    scan::ScanRequest,
};
use crate::{
    file::{
        chunk::Chunk,
        day::known::{Combinations, KnownDay},
        error::EngineError,
        snapshot::Snapshot,
    },
    format::{
        block::{Block, Column},
        dictionary::{Interner, Texts},
        selection::{index, keep_first, number, short},
    },
};

/// Counts the visits of each combination of texts in some columns of one family, in bounded memory.
/// If there are too many combinations, it drops those with the fewest visits, and a second pass
/// counts the others anew, as in [`crate::query::frequent`].
#[derive(Debug)]
pub(crate) struct Ranking<const N: usize> {
    columns: [usize; N],
    /// The groups of entries, by the fingerprints of all texts of their family. This cache may be
    /// cleared at any time.
    known: NumberMap<usize>,
    texts: [Interner; N],
    groups: HashMap<[u32; N], usize>,
    visits: Vec<u64>,
    /// The visits of all groups, dropped ones included.
    all_visits: u64,
    most_bytes: usize,
    /// The most visits that a dropped group can have.
    lost: u64,
    /// The hashes of all groups, in the second pass.
    all: Option<DistinctCounts>,
    hash: RandomState,
}

/// The number of an entry without a counted group.
const NO_GROUP: usize = usize::MAX;

impl<const N: usize> Ranking<N> {
    /// Adds the visits that meet the conditions, from day totals if possible. Reads a text that
    /// several chunks have only once.
    pub(crate) fn count(
        snapshot: &Snapshot<'_>,
        filter: &RowFilter,
        columns: [usize; N],
    ) -> Result<Self, EngineError> {
        let mut ranking = Self {
            columns,
            known: NumberMap::default(),
            texts: std::array::from_fn(|_| Interner::default()),
            groups: HashMap::new(),
            visits: Vec::new(),
            all_visits: 0,
            most_bytes: snapshot.memory().ranking(),
            lost: 0,
            all: None,
            hash: RandomState::new(),
        };
        ranking.pass(snapshot, filter)?;
        if ranking.lost > 0 {
            ranking.visits.fill(0);
            ranking.all_visits = 0;
            ranking.known = NumberMap::default();
            ranking.all = Some(DistinctCounts::within(BYTES_TO_COUNT_ALL));
            ranking.pass(snapshot, filter)?;
        }
        Ok(ranking)
    }

    fn pass(&mut self, snapshot: &Snapshot<'_>, filter: &RowFilter) -> Result<(), EngineError> {
        // The list of one column can be narrowed by its texts.
        let of = self.columns.first().copied().filter(|_| N == 1);
        let columns = self.columns;
        let of_day = |day: &KnownDay<'_>| day.combinations(columns);
        let plan = Plan::with_days(snapshot, filter, of, of_day, |known| {
            self.add_known(filter, &known);
            self.make_room();
        })?;
        let asked = self.columns.map(Column::Entries);
        let asked = ScanRequest {
            columns: &[&asked[..], &[Column::Interval]].concat(),
            latest: None,
        };
        snapshot.scan_back(&plan, asked, |block, chunk| {
            self.add(&block, chunk)?;
            self.make_room();
            Ok(i64::MIN)
        })
    }

    /// Clears the cache, and drops groups if that is not enough.
    fn make_room(&mut self) {
        let known = self.known.capacity() * 20;
        if self.bytes() + known <= self.most_bytes {
            return;
        }
        self.known = NumberMap::default();
        while self.all.is_none() && self.bytes() > self.most_bytes / 2 && !self.groups.is_empty() {
            self.let_go();
        }
    }

    /// The bytes of the groups and their texts.
    fn bytes(&self) -> usize {
        let group = size_of::<([u32; N], usize)>() + 1;
        let texts: usize = self.texts.iter().map(Interner::bytes).sum();
        texts + self.groups.capacity() * group + self.visits.capacity() * size_of::<u64>()
    }

    /// Drops at least half of the groups, those with the fewest visits.
    fn let_go(&mut self) {
        let fewest = few(self.visits.iter().copied());
        let groups = std::mem::take(&mut self.groups);
        let texts = std::mem::replace(
            &mut self.texts,
            std::array::from_fn(|_| Interner::default()),
        );
        let visits = std::mem::take(&mut self.visits);
        for (shown, group) in groups {
            if visits[group] > fewest {
                let shown: [u32; N] = std::array::from_fn(|position| {
                    let text = texts[position].texts.get(shown[position]);
                    self.texts[position].number(text)
                });
                self.groups.insert(shown, self.visits.len());
                self.visits.push(visits[group]);
            }
        }
        self.lost += fewest;
    }

    /// Adds the visits of entries from day totals that meet the conditions.
    fn add_known(&mut self, filter: &RowFilter, known: &Combinations<N>) {
        let Combinations { texts, visits } = known;
        for (entry, visits) in (0..).zip(visits) {
            let mut shown = self.columns.iter().zip(texts);
            if !shown.all(|(column, texts)| filter.admits_text(*column, texts.get(entry))) {
                continue;
            }
            self.all_visits += visits;
            let group = self.group(texts.each_ref(), entry);
            if group != NO_GROUP {
                self.visits[group] += visits;
            }
        }
    }

    /// Adds a block of rows of a chunk, or of the tail. After an error nothing is added.
    fn add(&mut self, block: &Block, chunk: Option<&Chunk<'_>>) -> Result<(), EngineError> {
        let family = TEXTS[self.columns[0]].family;
        let entries = block.visits_of_entries(family);
        let groups = if let (Some(chunk), Some(keys)) = (chunk, block.keys(family)) {
            self.groups_of_keys(chunk, keys, &entries)?
        } else {
            let texts = self.columns.map(|column| block.texts(column));
            let with_visits = (0..).zip(&entries);
            let group = |(entry, &visits): (u32, &u64)| match visits {
                0 => NO_GROUP,
                _ => self.group(texts, entry),
            };
            with_visits.map(group).collect()
        };
        for (visits, group) in entries.into_iter().zip(groups) {
            self.all_visits += visits;
            if visits > 0 && group != NO_GROUP {
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
            groups.push(known.unwrap_or(NO_GROUP));
        }
        if new.is_empty() {
            return Ok(groups);
        }
        let mut texts: [Texts; N] = std::array::from_fn(|_| Texts::default());
        for (texts, column) in texts.iter_mut().zip(self.columns) {
            *texts = chunk.some_texts(column, &new)?;
        }
        for (position, entry) in (0..).zip(new) {
            let group = self.group(texts.each_ref(), position);
            self.known.insert(keys[index(entry)], group);
            groups[index(entry)] = group;
        }
        Ok(groups)
    }

    /// The group of an entry, by its shown values.
    fn group(&mut self, texts: [&Texts; N], entry: u32) -> usize {
        let texts = texts.map(|texts| texts.get(entry));
        if let Some(all) = &mut self.all {
            all.see(0, self.hash.hash_one(texts), 1);
            return self.find(texts).unwrap_or(NO_GROUP);
        }
        let mut shown = [0; N];
        for (position, shown) in shown.iter_mut().enumerate() {
            *shown = self.texts[position].number(texts[position]);
        }
        let next = self.visits.len();
        let group = *self.groups.entry(shown).or_insert(next);
        if group == next {
            self.visits.push(0);
        }
        group
    }

    fn find(&self, texts: [&str; N]) -> Option<usize> {
        let mut shown = [0; N];
        for (position, shown) in shown.iter_mut().enumerate() {
            *shown = self.texts[position].find(texts[position])?;
        }
        self.groups.get(&shown).copied()
    }

    /// The labels with the most visits, then in their order. Groups without a label are left out.
    pub(crate) fn first<'r, K: Ord>(
        &'r mut self,
        limit: RowLimit,
        label: impl Fn([&'r str; N]) -> Option<K>,
    ) -> First<K> {
        let all = self.all.as_mut().map(at_least);
        let (lost, visits) = (self.lost, self.all_visits);
        let mut labels = self.labels(label);
        let all = all.unwrap_or(number(labels.len()));
        keep_first(&mut labels, limit, most_first);
        First::of(labels, limit, lost, all, visits)
    }

    /// The labels of the groups that have one, with their visits.
    fn labels<'r, K>(&'r self, label: impl Fn([&'r str; N]) -> Option<K>) -> Vec<(K, u64)> {
        let labelled = |(shown, &group): (&[u32; N], &usize)| {
            let text = |position: usize| self.texts[position].texts.get(shown[position]);
            let label = label(std::array::from_fn(text))?;
            Some((label, self.visits[group]))
        };
        self.groups.iter().filter_map(labelled).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use slugline_analytics::{
        columns::text_of,
        row::{Client, Row},
    };
    use slugline_domain::Dimension;

    use super::*;
    use crate::{
        file::{
            day::count::count,
            day_totals,
            limits::{Deadline, QuestionMemory},
            schema, seal,
        },
        format::{block::Numbers, block_builder::BlockBuilder},
        tests::rows::row,
    };

    #[test]
    fn the_first_of_more_texts_than_fit_are_exact_and_proven() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for day in 0..10_i64 {
            let mut draft = BlockBuilder::default();
            for n in 0..5_000_i64 {
                // Fifty programs come repeatedly, the others once.
                let user_agent = match n % 10 {
                    0 => format!("Usual/{}", n / 10 % 50),
                    _ => format!("Rare/{day}/{n}/{}", "x".repeat(60)),
                };
                let row = Row {
                    client: Client {
                        user_agent: &user_agent,
                        browser: "Example",
                        ..Client::default()
                    },
                    ..row(day * 86_400_000 + n, 1)
                };
                draft.push(Numbers::of(&row, 1), &row);
            }
            seal::write(&db, &draft, None).unwrap();
        }
        let deadline = Deadline::after(Duration::from_mins(1));
        let mut snapshot = Snapshot::take(&mut db, deadline).unwrap();
        let filter = RowFilter::default();
        for bytes in [64 << 20, 2 << 20] {
            snapshot = snapshot.with_memory(QuestionMemory::of(bytes));
            let ranking = |dimension| {
                let ranking = Ranking::count(&snapshot, &filter, [text_of(dimension)]).unwrap();
                let known = ranking.known.capacity() * 20;
                // A block's own texts may come on top.
                assert!(ranking.bytes() + known <= bytes / 2 + (1 << 20));
                ranking
            };
            let first = |ranking: &mut Ranking<1>, limit| {
                let limit = RowLimit::new(limit, RowLimit::MAX).unwrap();
                let first = ranking.first(limit, |[text]| Some(text.to_owned()));
                let shown: u64 = first.rows.iter().map(|(_, visits)| visits).sum();
                assert_eq!(
                    shown + first.others,
                    50_000,
                    "dropped groups count as others"
                );
                (first.rows, first.all, first.is_estimate)
            };
            let mut programs = ranking(Dimension::UserAgent);
            assert_eq!(programs.lost > 0, bytes < 64 << 20);
            let (rows, all, is_estimate) = first(&mut programs, 50);
            assert!(!is_estimate);
            assert!(
                rows.iter()
                    .all(|(text, visits)| text.starts_with("Usual/") && *visits == 100)
            );
            assert_eq!(rows.len(), 50);
            assert!((40_000..=45_050).contains(&all), "{all}");
            let (_, _, is_estimate) = first(&mut programs, 51);
            assert_eq!(is_estimate, bytes < 64 << 20);

            // One browser has all rows, and its count is exact even if the cache is cleared.
            let mut browsers = ranking(Dimension::Browser);
            let expected = (vec![("Example".to_owned(), 50_000)], 1, false);
            assert_eq!(first(&mut browsers, 50), expected);
        }
    }

    #[test]
    fn values_of_days_with_totals_take_two_passes_as_well() {
        const DAYS: i64 = 60;
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for day in 0..DAYS {
            let mut draft = BlockBuilder::default();
            for n in 0..300_i64 {
                let browser = match n % 3 {
                    0 => format!("usual{}", n / 3 % 20),
                    _ => format!("rare{day}x{n}"),
                };
                let row = Row {
                    client: Client {
                        browser: &browser,
                        ..Client::default()
                    },
                    ..row(day * 86_400_000 + n, 1)
                };
                draft.push(Numbers::of(&row, 1), &row);
            }
            seal::write(&db, &draft, None).unwrap();
            // Each third day is scanned.
            if day % 3 > 0 {
                let claim = day_totals::claim(&mut db, day).unwrap();
                let deadline = Deadline::after(Duration::from_mins(1));
                let totals = count(&Snapshot::take(&mut db, deadline).unwrap(), day).unwrap();
                assert!(day_totals::store(&mut db, claim, &totals.unwrap()).unwrap());
            }
        }
        let deadline = Deadline::after(Duration::from_mins(1));
        let mut snapshot = Snapshot::take(&mut db, deadline).unwrap();
        for bytes in [64 << 20, 256 << 10] {
            snapshot = snapshot.with_memory(QuestionMemory::of(bytes));
            let filter = RowFilter::default();
            let column = text_of(Dimension::Browser);
            let mut ranking = Ranking::count(&snapshot, &filter, [column]).unwrap();
            assert_eq!(ranking.lost > 0, bytes < 1 << 20);
            // Days with totals were not scanned.
            let plan = Plan::with_days(
                &snapshot,
                &filter,
                Some(column),
                |day| day.combinations([column]),
                drop,
            );
            assert!(plan.unwrap().spans_back().len() > 10);
            let limit = RowLimit::new(20, RowLimit::MAX).unwrap();
            let first = ranking.first(limit, |[text]| Some(text.to_owned()));
            assert!(!first.is_estimate);
            assert_eq!(first.rows.len(), 20);
            let whole =
                |(text, visits): &(String, u64)| text.starts_with("usual") && *visits == 300;
            assert!(first.rows.iter().all(whole), "{:?}", first.rows);
        }
    }
}
