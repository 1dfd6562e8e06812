//! The numbers of links. A link keeps its own until its visits are erased.

use std::{
    collections::{BTreeSet, HashSet},
    hash::{BuildHasher, RandomState},
};

use rusqlite::{Connection, OptionalExtension};
use slugline_analytics::number_map::NumberMap;
use slugline_domain::LinkId;

/// The numbers of links, behind a cache.
///
/// The cache holds fingerprints of 64 bits, keyed at random in each process.
#[derive(Debug, Default)]
pub(crate) struct Links {
    key: RandomState,
    known: NumberMap<i64>,
    /// SQLite's count of changes by other connections, when `known` was true.
    seen: Option<i64>,
    /// The names that the running transaction has added to `known`.
    entered: Vec<u64>,
}

impl Links {
    /// The most entries of the cache, about 6 MB; when it is full it starts over.
    const CACHED: usize = 200_000;

    /// Clears the cache if another process has changed the file: it may have erased visits and so
    /// removed the number of a link.
    pub(crate) fn follow(&mut self, db: &Connection) -> Result<(), rusqlite::Error> {
        let now = db
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if self.seen.replace(now) != Some(now) {
            self.forget();
        }
        Ok(())
    }

    /// Clears the cache.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    /// The number of a link; a new link gets one.
    pub(crate) fn number(&mut self, db: &Connection, link: &str) -> Result<i64, rusqlite::Error> {
        let fingerprint = self.key.hash_one(link);
        if let Some(&number) = self.known.get(&fingerprint) {
            return Ok(number);
        }
        let number = if let Some(number) = find(db, link)? {
            number
        } else {
            db.prepare_cached("INSERT INTO link (link_id) VALUES (?1)")?
                .execute([link])?;
            db.last_insert_rowid()
        };
        if self.known.len() >= Self::CACHED {
            self.known.clear();
        }
        self.known.insert(fingerprint, number);
        self.entered.push(fingerprint);
        Ok(number)
    }

    /// Tells that the transaction that entered links is durable, or was rolled back.
    pub(crate) fn settle(&mut self, durable: bool) {
        for fingerprint in self.entered.drain(..) {
            if !durable {
                self.known.remove(&fingerprint);
            }
        }
    }
}

/// The number of a link, if it has one.
pub(crate) fn find(db: &Connection, link: &str) -> Result<Option<i64>, rusqlite::Error> {
    db.prepare_cached("SELECT number FROM link WHERE link_id = ?1")?
        .query_row([link], |row| row.get(0))
        .optional()
}

/// Removes a number from its link. No link gets it again.
pub(crate) fn remove(db: &Connection, number: i64) -> Result<(), rusqlite::Error> {
    db.prepare_cached("DELETE FROM link WHERE number = ?1")?
        .execute([number])?;
    Ok(())
}

/// The numbers of some links; a link without a number has no visits.
pub(crate) fn find_all(
    db: &Connection,
    wanted: &BTreeSet<LinkId>,
) -> Result<HashSet<i64>, rusqlite::Error> {
    /// The number of entries that can be read in the time of one look-up.
    const LOOK_UP: usize = 10;

    let largest: Option<i64> = db
        .prepare_cached("SELECT max(number) FROM link")?
        .query_row([], |row| row.get(0))?;
    let all = usize::try_from(largest.unwrap_or(0)).unwrap_or(usize::MAX);
    if wanted.len().saturating_mul(LOOK_UP) < all {
        let found = wanted.iter().map(|link| find(db, link.as_str()));
        return found.filter_map(Result::transpose).collect();
    }
    let wanted: HashSet<&str> = wanted.iter().map(LinkId::as_str).collect();
    let mut statement = db.prepare_cached("SELECT number, link_id FROM link")?;
    let mut entries = statement.query([])?;
    let mut found = HashSet::new();
    while let Some(entry) = entries.next()? {
        if wanted.contains(entry.get_ref(1)?.as_str()?) {
            found.insert(entry.get(0)?);
        }
    }
    Ok(found)
}

/// The link with a number, if there is one.
pub(crate) fn name(db: &Connection, number: i64) -> Result<Option<String>, rusqlite::Error> {
    db.prepare_cached("SELECT link_id FROM link WHERE number = ?1")?
        .query_row([number], |row| row.get(0))
        .optional()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::schema;

    #[test]
    fn a_link_keeps_its_number_and_what_was_rolled_back_is_entered_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        let mut links = Links::default();
        let tx = db.transaction().unwrap();
        assert_eq!(links.number(&tx, "a").unwrap(), 1);
        tx.commit().unwrap();
        links.settle(true);
        let tx = db.transaction().unwrap();
        assert_eq!(links.number(&tx, "b").unwrap(), 2);
        tx.rollback().unwrap();
        links.settle(false);
        for (link, number) in [("c", 2), ("b", 3), ("a", 1)] {
            assert_eq!(links.number(&db, link).unwrap(), number);
            assert_eq!(name(&db, number).unwrap().as_deref(), Some(link));
        }
        // A later process finds them in the table.
        assert_eq!(Links::default().number(&db, "b").unwrap(), 3);
        assert_eq!(
            (find(&db, "d").unwrap(), name(&db, 4).unwrap()),
            (None, None)
        );
        let wanted = |ids: &[&str]| ids.iter().map(|id| LinkId::parse(id).unwrap()).collect();
        let few = |db: &Connection| find_all(db, &wanted(&["a", "c", "d"])).unwrap();
        assert_eq!(few(&db), HashSet::from([1, 2]));
        for n in 0..100 {
            links.number(&db, &format!("more-{n}")).unwrap();
        }
        assert_eq!(few(&db), HashSet::from([1, 2]));
    }
}
