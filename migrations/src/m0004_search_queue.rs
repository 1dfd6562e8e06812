//! A queue table for new texts. The writer indexes all texts of a transaction
//! at once.
//!
//! If a trigger writes to an FTS5 table, each statement makes a segment that is
//! merged later; that is a third of the cost of an insert.

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DbBackend},
};

pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m0004_search_queue"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    #[expect(
        elided_lifetimes_in_paths,
        reason = "the trait's own signature elides it"
    )]
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() != DbBackend::Sqlite {
            // PostgreSQL's own index collects new texts.
            return Ok(());
        }
        let connection = manager.get_connection();
        connection.execute_unprepared(QUEUE).await.map(drop)
    }
}

/// A node of the previous version does not know the queue but its triggers
/// still add to it. The next change by a node of this version indexes those
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
