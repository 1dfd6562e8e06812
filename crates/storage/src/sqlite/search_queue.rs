//! The queue of texts to be indexed for searches.
//!
//! Triggers put the numbers of new and changed links into `link_search_queue`. Each time that texts
//! are indexed, FTS5 writes a segment and merges it with others later, so many texts at once cost a
//! fraction of indexing each. Until then searches compare the texts in the queue one by one.

use rusqlite::Connection;

/// The most texts that stay in the queue.
const WAITING: u32 = 256;

/// Indexes the texts in the queue and empties it, once there are enough.
pub(super) fn index(connection: &Connection) -> Result<(), rusqlite::Error> {
    let count = "SELECT count(*) FROM link_search_queue";
    let mut count = connection.prepare_cached(count)?;
    let waiting: u32 = count.query_row([], |row| row.get(0))?;
    if waiting > WAITING {
        let index = "INSERT INTO link_search (rowid, search_text) \
                     SELECT number, search_text FROM short_links \
                     WHERE number IN (SELECT number FROM link_search_queue)";
        connection.prepare_cached(index)?.execute([])?;
        let empty = "DELETE FROM link_search_queue";
        connection.prepare_cached(empty)?.execute([])?;
    }
    Ok(())
}
