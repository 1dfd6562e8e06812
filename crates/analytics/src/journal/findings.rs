//! The findings of an examination of a file.

use rusqlite::Connection;

/// Damages listed one by one; the rest are only counted.
const LISTED: usize = 5;

/// One examined part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// The part examined: `pages`, `chunks`, `tail`, `links` or `totals` of an access
    /// log; `pages`, `rows` or `shipment` of a spool.
    pub what: &'static str,
    /// The finding, in words.
    pub found: String,
    /// True if it is sound.
    pub sound: bool,
}

/// A description of a sound part, or the damages of a damaged one.
pub type Finding = Result<String, Vec<String>>;

pub fn said(what: &'static str, finding: Finding) -> Examined {
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

pub fn unreadable(error: &rusqlite::Error) -> Vec<String> {
    vec![error.to_string()]
}

pub fn pages(db: &Connection) -> Finding {
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
