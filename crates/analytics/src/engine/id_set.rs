//! Sets of dictionary ids, one bit for each.

use std::collections::HashSet;

use rusqlite::{Connection, types::ValueRef};

use super::{dimension::Table, selection::index};

const WORD_BITS: u32 = u64::BITS;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct IdSet {
    words: Vec<u64>,
}

impl IdSet {
    pub(super) fn insert(&mut self, id: u32) {
        let word = word_of(id);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (id % WORD_BITS);
    }

    pub(super) fn contains(&self, id: u32) -> bool {
        let word = self.words.get(word_of(id)).copied().unwrap_or(0);
        word >> (id % WORD_BITS) & 1 == 1
    }

    /// The id, if there is just one.
    pub(super) fn only(&self) -> Option<u32> {
        let mut words = (0..).zip(&self.words).filter(|(_, word)| **word != 0);
        let (at, word): (u32, &u64) = words.next()?;
        let alone = word.is_power_of_two() && words.next().is_none();
        alone.then(|| at * WORD_BITS + word.trailing_zeros())
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.missing_from(&Self::default())
    }

    /// How many the other set does not have.
    pub(super) fn missing_from(&self, other: &Self) -> usize {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        let missing = self.words.iter().zip(others);
        let missing: u32 = missing
            .map(|(word, other)| (word & !other).count_ones())
            .sum();
        usize::try_from(missing).expect("32 bits fit a pointer's size")
    }

    /// Leaves what is also in the other set.
    pub(super) fn intersect(&mut self, other: &Self) {
        self.words.truncate(other.words.len());
        for (word, others) in self.words.iter_mut().zip(&other.words) {
            *word &= others;
        }
    }

    /// Adds what is in the other set.
    pub(super) fn unite(&mut self, other: &Self) {
        let length = self.words.len().max(other.words.len());
        self.words.resize(length, 0);
        for (word, others) in self.words.iter_mut().zip(&other.words) {
            *word |= others;
        }
    }

    /// Leaves what is not in the other set.
    pub(super) fn subtract(&mut self, other: &Self) {
        for (word, others) in self.words.iter_mut().zip(&other.words) {
            *word &= !others;
        }
    }
}

/// The ids of a dictionary whose value in `column` is among those wanted.
/// Numbers are compared in the form of [`two_decimals`].
pub(super) fn matching(
    db: &Connection,
    table: Table,
    column: &str,
    wanted: &HashSet<&str>,
) -> Result<IdSet, rusqlite::Error> {
    if table.is_indexed_by(column) && are_few(db, table, wanted.len())? {
        looked_up(db, table, column, wanted)
    } else {
        found_by_reading(db, table, column, wanted)
    }
}

/// Returns whether it is quicker to look that many values up than to read the
/// whole dictionary.
fn are_few(db: &Connection, table: Table, values: usize) -> Result<bool, rusqlite::Error> {
    /// The number of entries that can be read in the time of one look-up.
    const LOOK_UP: usize = 10;

    let largest = format!("SELECT coalesce(max(id), 0) FROM {}", table.entries());
    let largest: u32 = db
        .prepare_cached(&largest)?
        .query_row([], |row| row.get(0))?;
    Ok(values.saturating_mul(LOOK_UP) < index(largest))
}

fn looked_up(
    db: &Connection,
    table: Table,
    column: &str,
    wanted: &HashSet<&str>,
) -> Result<IdSet, rusqlite::Error> {
    let (entries, and) = (table.entries(), table.and());
    let mut statement =
        db.prepare_cached(&format!("SELECT id FROM {entries} {and} {column} = ?1"))?;
    let mut ids = IdSet::default();
    for value in wanted {
        let mut rows = statement.query([value])?;
        while let Some(row) = rows.next()? {
            ids.insert(row.get(0)?);
        }
    }
    Ok(ids)
}

/// Reading the whole dictionary costs milliseconds and needs no index for each
/// column that somebody may ask for.
fn found_by_reading(
    db: &Connection,
    table: Table,
    column: &str,
    wanted: &HashSet<&str>,
) -> Result<IdSet, rusqlite::Error> {
    let entries = table.entries();
    let mut statement = db.prepare_cached(&format!("SELECT id, {column} FROM {entries}"))?;
    let mut rows = statement.query([])?;
    let mut ids = IdSet::default();
    while let Some(row) = rows.next()? {
        let value = row.get_ref(1)?;
        let is_wanted = match value {
            ValueRef::Real(degrees) => wanted.contains(two_decimals(degrees).as_str()),
            ValueRef::Text(_) | ValueRef::Null | ValueRef::Integer(_) | ValueRef::Blob(_) => {
                wanted.contains(value.as_str()?)
            }
        };
        if is_wanted {
            ids.insert(row.get(0)?);
        }
    }
    Ok(ids)
}

/// The form in which coordinates are compared. Adding zero turns a negative
/// zero into an ordinary one.
pub(super) fn two_decimals(degrees: f64) -> String {
    format!("{:.2}", (degrees * 100.0).round() / 100.0 + 0.0)
}

fn word_of(id: u32) -> usize {
    usize::try_from(id / WORD_BITS).expect("32 bits fit a pointer's size")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::schema;

    fn set(ids: &[u32]) -> IdSet {
        let mut set = IdSet::default();
        for &id in ids {
            set.insert(id);
        }
        set
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        let ids = set(&[0, 63, 64, 1_000]);
        for id in [0, 63, 64, 1_000] {
            assert!(ids.contains(id));
        }
        for id in [1, 62, 65, 999, 1_001, u32::MAX] {
            assert!(!ids.contains(id));
        }
    }

    #[test]
    fn what_counts_as_indexed_is_looked_up_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for table in Table::ALL {
            for column in ["link_id", "slug", "ua", "country", "v"] {
                if table.is_indexed_by(column) {
                    let (entries, and) = (table.entries(), table.and());
                    let sql =
                        format!("EXPLAIN QUERY PLAN SELECT id FROM {entries} {and} {column} = 'x'");
                    let plan: String = db.query_row(&sql, [], |row| row.get(3)).unwrap();
                    let condition = format!("{column}=?");
                    assert!(
                        plan.starts_with("SEARCH") && plan.contains(&condition),
                        "{plan}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_single_id_is_told() {
        for id in [0, 63, 64, 1_000] {
            assert_eq!(set(&[id]).only(), Some(id));
        }
        assert_eq!(set(&[1, 2]).only(), None);
        assert_eq!(set(&[1, 200]).only(), None);
        assert_eq!(set(&[]).only(), None);
    }

    #[test]
    fn an_intersection_holds_what_is_in_both() {
        let mut ids = set(&[1, 2, 200]);
        ids.intersect(&set(&[2, 3]));
        assert_eq!(
            (1..=200).filter(|&id| ids.contains(id)).collect::<Vec<_>>(),
            [2]
        );
        ids.intersect(&set(&[2, 900]));
        assert!(ids.contains(2));
        assert!(!ids.contains(900));
    }

    #[test]
    fn coordinates_are_compared_in_hundredths() {
        assert_eq!(two_decimals(52.519_9), "52.52");
        assert_eq!(two_decimals(-0.001), "0.00");
        assert_eq!(two_decimals(13.4), "13.40");
    }
}
