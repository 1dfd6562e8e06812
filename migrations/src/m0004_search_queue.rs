//! A queue table for new texts, so that the writer can index many at once.
//!
//! If a trigger writes to an FTS5 table, each statement makes a segment that is
//! merged later; that is a third of the cost of an insert.

use sea_orm::DbBackend;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    if backend == DbBackend::Sqlite {
        vec![QUEUE.into()]
    } else {
        // PostgreSQL's own index collects new texts.
        Vec::new()
    }
}

/// A node of the previous version does not know the queue but its triggers
/// still add to it. A later change by a node of this version indexes those
/// texts.
const QUEUE: &str = "
CREATE TABLE link_search_queue (number INTEGER NOT NULL PRIMARY KEY);
DROP TRIGGER link_search_insert;
DROP TRIGGER link_search_delete;
DROP TRIGGER link_search_update;
CREATE TRIGGER link_search_insert AFTER INSERT ON links BEGIN
    INSERT INTO link_search_queue (number) VALUES (new.number);
END;
CREATE TRIGGER link_search_delete AFTER DELETE ON links BEGIN
    DELETE FROM link_search WHERE rowid = old.number;
    DELETE FROM link_search_queue WHERE number = old.number;
END;
CREATE TRIGGER link_search_update AFTER UPDATE OF search_text ON links
WHEN new.search_text <> old.search_text BEGIN
    DELETE FROM link_search WHERE rowid = old.number;
    DELETE FROM link_search_queue WHERE number = old.number;
    INSERT INTO link_search_queue (number) VALUES (new.number);
END;
";
