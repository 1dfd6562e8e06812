//! Space that goes back to the file system.

use rusqlite::Connection;

/// Free pages that are kept for the rows to come: 4 MiB.
pub(crate) const SPARE_PAGES: u32 = 1_024;

/// Pages given back at once: 2 MiB.
pub(crate) const PAGES: u32 = 512;

/// Returns some free pages, in a transaction of its own, and says whether there
/// are more to return.
pub(crate) fn give_back(db: &Connection) -> Result<bool, rusqlite::Error> {
    let free = || db.pragma_query_value(None, "freelist_count", |row| row.get::<_, u32>(0));
    let excess = free()?.saturating_sub(SPARE_PAGES);
    if excess == 0 {
        return Ok(false);
    }
    let mut statement = db.prepare(&format!("PRAGMA incremental_vacuum({})", excess.min(PAGES)))?;
    // Each step is one page.
    let mut steps = statement.query([])?;
    while steps.next()?.is_some() {}
    drop(steps);
    Ok(free()? > SPARE_PAGES)
}
