//! Is the file sound? Read-only, also while somebody writes to it.

use std::path::Path;

use rusqlite::Connection;

use super::{
    block::{Block, ChunkHead},
    chunk_targets,
    column::Column,
    dimension::Table,
    error::{EngineError, OpenError},
    id_set::IdSet,
    schema, tail,
};

/// Damages listed one by one; the rest are only counted.
const LISTED: usize = 5;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// What: `pages`, `chunks`, `tail` or `references` of an access log; `pages`,
    /// `rows` or `shipment` of a spool.
    pub what: &'static str,
    /// What was found, in words.
    pub found: String,
    /// Whether it is as it should be.
    pub sound: bool,
}

/// Examines the access log in a file, which is left as it is.
///
/// # Errors
/// The file cannot be opened, is something else, or was written by a newer
/// version.
pub fn examine(path: &Path) -> Result<Vec<Examined>, OpenError> {
    let db = schema::open_to_examine(&schema::ACCESS_LOG, path)?;
    let mut used = Usage::default();
    Ok(vec![
        said("pages", pages(&db)),
        said("chunks", chunks(&db, &mut used)),
        said("tail", tail_rows(&db, &mut used)),
        said("references", references(&db, &used)),
    ])
}

/// What is sound, or what is damaged.
pub(crate) type Finding = Result<String, Vec<String>>;

#[derive(Default)]
struct Usage {
    used: [IdSet; Table::ALL.len()],
}

impl Usage {
    fn see(&mut self, block: &Block) {
        for (table, used) in Table::ALL.into_iter().zip(&mut self.used) {
            for &id in block.ids(table) {
                used.insert(id);
            }
        }
    }
}

pub(crate) fn said(what: &'static str, finding: Finding) -> Examined {
    match finding {
        Ok(found) => Examined {
            what,
            found,
            sound: true,
        },
        Err(damages) => {
            let listed = damages[..damages.len().min(LISTED)].join("; ");
            let found = match damages.len().saturating_sub(LISTED) {
                0 => listed,
                more => format!("{listed}; and {more} more"),
            };
            Examined {
                what,
                found,
                sound: false,
            }
        }
    }
}

fn unreadable(error: &rusqlite::Error) -> Vec<String> {
    vec![error.to_string()]
}

pub(crate) fn pages(db: &Connection) -> Finding {
    let lines = || -> Result<Vec<String>, rusqlite::Error> {
        db.prepare("PRAGMA integrity_check")?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    match lines() {
        Ok(lines) if lines == ["ok"] => Ok("sound".into()),
        Ok(lines) => Err(lines),
        Err(error) => Err(unreadable(&error)),
    }
}

fn chunks(db: &Connection, used: &mut Usage) -> Finding {
    let mut rows = 0;
    let mut chunks = 0;
    let mut damages = Vec::new();
    let mut read = || -> Result<(), EngineError> {
        // A file that no later version has opened is still one of version 1.
        let has_lists = db.table_exists(None, "chunk_target")?;
        let selection = Block::selection(&Column::ALL);
        let mut statement = db.prepare(&format!("SELECT {selection} FROM chunk ORDER BY id"))?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            chunks += 1;
            match Block::read(row, &Column::ALL) {
                Ok(block) => {
                    rows += block.rows;
                    used.see(&block);
                    let head = ChunkHead::read(row)?;
                    let ChunkHead { id, span } = head;
                    let ends = (block.time.first(), block.time.last());
                    if ends != (Some(&span.min_ts), Some(&span.max_ts)) || !block.time.is_sorted() {
                        damages.push(format!("chunk {id} is not in order of time"));
                    }
                    if has_lists && !chunk_targets::agree(db, head, &block)? {
                        damages.push(format!("the list of links of chunk {id} is wrong"));
                    }
                }
                Err(error) => damages.push(crate::engine::error::chain(&error)),
            }
        }
        Ok(())
    };
    if let Err(error) = read() {
        damages.push(crate::engine::error::chain(&error));
    }
    if damages.is_empty() {
        Ok(format!("{chunks} with {rows} rows, all checksums match"))
    } else {
        Err(damages)
    }
}

fn tail_rows(db: &Connection, used: &mut Usage) -> Finding {
    let mut rows = 0;
    let mut after = i64::MIN;
    loop {
        let portion = tail::read(db, after, 65_536).map_err(|error| unreadable(&error))?;
        rows += portion.block.rows;
        used.see(&portion.block);
        match portion.last {
            Some(last) => after = last,
            None => return Ok(format!("{rows} rows")),
        }
    }
}

fn references(db: &Connection, used: &Usage) -> Finding {
    let mut damages = Vec::new();
    let mut entries = 0;
    for (table, used) in Table::ALL.into_iter().zip(&used.used) {
        let known = super::salvage::known_ids(db, table).map_err(|error| unreadable(&error))?;
        entries += known.len();
        let missing = used.missing_from(&known);
        if missing > 0 {
            damages.push(format!(
                "{missing} {} entries are missing",
                table.entry_name()
            ));
        }
    }
    if damages.is_empty() {
        Ok(format!("all within {entries} dictionary entries"))
    } else {
        Err(damages)
    }
}
