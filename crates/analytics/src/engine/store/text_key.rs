//! Fingerprints of texts, the same in all chunks of a file.
//!
//! Each chunk has texts of its own. Beside them stand their fingerprints, so that
//! a question reads a text once and not in each chunk that has it.

use std::hash::Hasher;

use rusqlite::{Connection, OptionalExtension};
use siphasher::sip::SipHasher13;

/// The key of a file's fingerprints. Visitors do not know it, so they cannot
/// choose texts that have the same one.
#[derive(Debug)]
pub(crate) struct TextKey([u8; 16]);

impl TextKey {
    /// That of a file, which is made if there is none. Chunks from before a new
    /// key are read as well: texts decide what is the same.
    pub(crate) fn of(db: &Connection) -> Result<Self, rusqlite::Error> {
        let mut select = db.prepare_cached("SELECT key FROM text_key")?;
        let known = select.query_row([], |row| row.get(0)).optional()?;
        if let Some(key) = known {
            return Ok(Self(key));
        }
        db.execute_batch("INSERT INTO text_key (key) VALUES (randomblob(16))")?;
        select.query_row([], |row| row.get(0)).map(Self)
    }

    /// 56 bits: among a million different texts, two have the same one in one of
    /// 144,000 files.
    pub(crate) fn fingerprint<'t>(&self, texts: impl Iterator<Item = &'t str>) -> u64 {
        let mut hasher = SipHasher13::new_with_key(&self.0);
        for text in texts {
            hasher.write(text.as_bytes());
            // What is in no text.
            hasher.write(&[0xff]);
        }
        hasher.finish() >> 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::store::schema;

    #[test]
    fn fingerprints_are_of_all_texts_and_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let key = |name| {
            let db = schema::open_writer(&folder.path().join(name)).unwrap();
            TextKey::of(&db).unwrap()
        };
        let (one, other) = (key("a.db"), key("b.db"));
        let of = |key: &TextKey, texts: &[&str]| key.fingerprint(texts.iter().copied());
        assert_eq!(of(&one, &["ab", "c"]), of(&key("a.db"), &["ab", "c"]));
        assert_ne!(of(&one, &["ab", "c"]), of(&one, &["a", "bc"]));
        assert_ne!(of(&one, &["ab", "c"]), of(&other, &["ab", "c"]));
        // It stays what it is, because files keep it.
        let zero = TextKey([0; 16]);
        assert_eq!(of(&zero, &["ab", "c"]), 20_331_422_460_580_058);
    }
}
