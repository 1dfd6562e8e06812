//! One dictionary: texts replaced by small numbers.
//!
//! Visitors choose most texts, so each dictionary is bounded: values that come
//! when it is full share [`OTHER`]. What has an id keeps it.

use std::hash::{BuildHasher, Hash, RandomState};

use rusqlite::{Connection, OptionalExtension, ToSql};

use crate::number_map::NumberMap;

/// The id of every value beyond a dictionary's bound.
pub(super) const OTHER: u32 = 0;

/// The id of the empty text among referers and languages.
pub(super) const EMPTY: u32 = 1;

/// The SQL of one dictionary. All take the value first; `insert` takes the id
/// last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statements {
    pub(super) find: &'static str,
    pub(super) newest: &'static str,
    /// All ids in order.
    pub(super) ids: &'static str,
    pub(super) insert: &'static str,
}

/// A table of texts, and in front of it a cache of what was looked up.
///
/// The cache holds fingerprints of 64 bits instead of texts, which bounds its
/// memory whatever visitors send. They are keyed at random in each process, so
/// nobody can choose two texts with the same one, and a new text has that of a
/// known one by chance once in 10^14 times.
#[derive(Debug)]
pub(super) struct Dictionary {
    statements: Statements,
    largest_id: u32,
    key: RandomState,
    known: NumberMap<u32>,
    /// What the running transaction has added to `known`.
    entered: Vec<u64>,
    /// Ids between others that nobody has, once the largest is given out.
    gaps: Option<Vec<u32>>,
}

impl Dictionary {
    /// Most entries of the cache, about 6 MB; when it is full it starts over.
    const CACHED: usize = 200_000;

    pub(super) fn new(largest_id: u32, statements: Statements) -> Self {
        Self {
            statements,
            largest_id,
            key: RandomState::new(),
            known: NumberMap::default(),
            entered: Vec::new(),
            gaps: None,
        }
    }

    /// The id of a value, which is entered if it is new. `key` identifies it
    /// and `values` are its columns.
    pub(super) fn id(
        &mut self,
        db: &Connection,
        key: &impl Hash,
        values: &[&dyn ToSql],
    ) -> Result<u32, rusqlite::Error> {
        let fingerprint = self.key.hash_one(key);
        if let Some(&id) = self.known.get(&fingerprint) {
            return Ok(id);
        }
        let found = db
            .prepare_cached(self.statements.find)?
            .query_row(values, |row| row.get(0))
            .optional()?;
        let id = match found {
            Some(id) => id,
            None => match self.enter(db, values)? {
                Some(id) => id,
                // Not cached, or whoever fills the dictionary could also push
                // everything useful out of the cache.
                None => return Ok(OTHER),
            },
        };
        if self.known.len() >= Self::CACHED {
            self.known.clear();
        }
        self.known.insert(fingerprint, id);
        self.entered.push(fingerprint);
        Ok(id)
    }

    /// Adds a value; `None` when the dictionary is full.
    fn enter(
        &mut self,
        db: &Connection,
        values: &[&dyn ToSql],
    ) -> Result<Option<u32>, rusqlite::Error> {
        let newest: Option<u32> = db
            .prepare_cached(self.statements.newest)?
            .query_row([], |row| row.get(0))?;
        let mut id = newest.unwrap_or(EMPTY) + 1;
        if id > self.largest_id {
            let gaps = match &mut self.gaps {
                Some(gaps) => gaps,
                none => none.insert(gaps(db, self.statements.ids)?),
            };
            match gaps.pop() {
                Some(gap) => id = gap,
                None => return Ok(None),
            }
        }
        let mut parameters = values.to_vec();
        parameters.push(&id);
        db.prepare_cached(self.statements.insert)?
            .execute(parameters.as_slice())?;
        Ok(Some(id))
    }

    /// The transaction that entered values is durable.
    pub(super) fn keep(&mut self) {
        self.entered.clear();
    }

    /// The transaction that entered values was rolled back.
    pub(super) fn forget(&mut self) {
        for fingerprint in self.entered.drain(..) {
            self.known.remove(&fingerprint);
        }
        self.gaps = None;
    }

    /// Entries may have been deleted.
    pub(super) fn look_again(&mut self) {
        self.known.clear();
        self.entered.clear();
        self.gaps = None;
    }
}

/// The ids below the largest that are free, largest first.
fn gaps(db: &Connection, ids: &str) -> Result<Vec<u32>, rusqlite::Error> {
    let mut gaps = Vec::new();
    let mut expected = OTHER;
    let mut statement = db.prepare(ids)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: u32 = row.get(0)?;
        gaps.extend(expected..id);
        expected = expected.max(id + 1);
    }
    gaps.reverse();
    Ok(gaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATEMENTS: Statements = Statements {
        find: "SELECT id FROM word WHERE v = ?1",
        newest: "SELECT max(id) FROM word",
        ids: "SELECT id FROM word ORDER BY id",
        insert: "INSERT INTO word (v, id) VALUES (?1, ?2)",
    };

    fn words() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE TABLE word (id INTEGER PRIMARY KEY, v TEXT NOT NULL UNIQUE);
             INSERT INTO word VALUES (0, '(other)'), (1, '');",
        )
        .unwrap();
        db
    }

    fn id(dictionary: &mut Dictionary, db: &Connection, word: &str) -> u32 {
        dictionary.id(db, &word, &[&word]).unwrap()
    }

    #[test]
    fn a_value_keeps_its_id_also_for_a_later_process() {
        let db = words();
        let mut first = Dictionary::new(100, STATEMENTS);
        assert_eq!(id(&mut first, &db, ""), EMPTY);
        assert_eq!(id(&mut first, &db, "a"), 2);
        assert_eq!(id(&mut first, &db, "b"), 3);
        assert_eq!(id(&mut first, &db, "a"), 2);
        let mut second = Dictionary::new(100, STATEMENTS);
        assert_eq!(id(&mut second, &db, "b"), 3);
        assert_eq!(id(&mut second, &db, "c"), 4);
        // The first one has not heard of it and finds it in the table.
        assert_eq!(id(&mut first, &db, "c"), 4);
    }

    #[test]
    fn a_full_dictionary_knows_what_it_has_and_nothing_else() {
        let db = words();
        let mut dictionary = Dictionary::new(3, STATEMENTS);
        assert_eq!(id(&mut dictionary, &db, "a"), 2);
        assert_eq!(id(&mut dictionary, &db, "b"), 3);
        assert_eq!(id(&mut dictionary, &db, "c"), OTHER);
        assert_eq!(id(&mut dictionary, &db, "b"), 3);
        let entries: u32 = db
            .query_row("SELECT count(*) FROM word", [], |row| row.get(0))
            .unwrap();
        assert_eq!(entries, 4);
    }

    #[test]
    fn ids_of_deleted_entries_are_given_out_again_when_there_are_no_others() {
        let db = words();
        let mut dictionary = Dictionary::new(5, STATEMENTS);
        for (word, expected) in [("a", 2), ("b", 3), ("c", 4)] {
            assert_eq!(id(&mut dictionary, &db, word), expected);
        }
        db.execute("DELETE FROM word WHERE id IN (2, 3)", [])
            .unwrap();
        dictionary.look_again();
        for (word, expected) in [("d", 5), ("e", 2), ("a", 3), ("f", OTHER), ("d", 5)] {
            assert_eq!(id(&mut dictionary, &db, word), expected, "{word}");
        }
        db.execute("DELETE FROM word WHERE id = 4", []).unwrap();
        dictionary.look_again();
        assert_eq!(id(&mut dictionary, &db, "f"), 4);
        assert_eq!(id(&mut dictionary, &db, "c"), OTHER);
    }

    #[test]
    fn what_was_rolled_back_is_entered_again() {
        let mut db = words();
        let mut dictionary = Dictionary::new(100, STATEMENTS);
        let tx = db.transaction().unwrap();
        assert_eq!(id(&mut dictionary, &tx, "a"), 2);
        tx.commit().unwrap();
        dictionary.keep();
        let tx = db.transaction().unwrap();
        assert_eq!(id(&mut dictionary, &tx, "b"), 3);
        tx.rollback().unwrap();
        dictionary.forget();
        assert_eq!(id(&mut dictionary, &db, "c"), 3);
        assert_eq!(id(&mut dictionary, &db, "b"), 4);
        assert_eq!(id(&mut dictionary, &db, "a"), 2);
    }
}
