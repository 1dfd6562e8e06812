//! New texts wait in a table until whoever writes indexes them, all texts of a
//! transaction at once.
//!
//! An FTS5 table that a trigger writes to makes a segment for each statement,
//! and merges segments later: a third of what an insert costs.

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
            // PostgreSQL's own index gathers new texts.
            return Ok(());
        }
        let connection = manager.get_connection();
        connection.execute_unprepared(QUEUE).await.map(drop)
    }
}

/// A node of the previous version, which does not know the queue, goes on
/// adding to it; the next change by one of this version indexes what is there.
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
