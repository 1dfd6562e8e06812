//! Returns free pages of a file to the file system.

use rusqlite::Connection;

/// The free pages that are kept for later rows: 4 MiB.
pub const SPARE_PAGES: u32 = 1_024;

/// The free pages returned at once: 2 MiB.
pub const PAGES_AT_ONCE: u32 = 512;

/// Returns some free pages to the file system, in a transaction of its own. Returns whether there
/// are more.
pub fn give_back(db: &Connection) -> Result<bool, rusqlite::Error> {
    give_back_but(db, SPARE_PAGES)
}

/// As [`give_back`], but keeps no free page, because one may still show deleted rows.
pub fn give_all_back(db: &Connection) -> Result<bool, rusqlite::Error> {
    give_back_but(db, 0)
}

fn give_back_but(db: &Connection, spare: u32) -> Result<bool, rusqlite::Error> {
    let free = || db.pragma_query_value(None, "freelist_count", |row| row.get::<_, u32>(0));
    let excess = free()?.saturating_sub(spare);
    if excess == 0 {
        return Ok(false);
    }
    let pages = excess.min(PAGES_AT_ONCE);
    let mut statement = db.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    // Each step is one page.
    let mut steps = statement.query([])?;
    while steps.next()?.is_some() {}
    drop(steps);
    Ok(free()? > spare)
}
