//! The queue of texts to be indexed for searches.
//!
//! Triggers put the numbers of new and changed links into `link_search_queue`.
//! Indexing all of a transaction's texts at once, before its commit, costs a
//! fraction of indexing each by a trigger.

use super::statements::Statements;

/// Indexes the texts in the queue and empties it.
pub(super) fn index(statements: Statements<'_>) -> Result<(), rusqlite::Error> {
    let Statements(connection) = statements;
    let index = "INSERT INTO link_search (rowid, search_text) \
                 SELECT number, search_text FROM links \
                 WHERE number IN (SELECT number FROM link_search_queue)";
    if connection.prepare_cached(index)?.execute([])? > 0 {
        let empty = "DELETE FROM link_search_queue";
        connection.prepare_cached(empty)?.execute([])?;
    }
    Ok(())
}
