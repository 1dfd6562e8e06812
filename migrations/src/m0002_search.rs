//! An index of the searched texts by every three characters in a row, which the
//! database itself maintains.

use sea_orm::DbBackend;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    if backend == DbBackend::Sqlite {
        vec![SQLITE.into()]
    } else {
        vec![POSTGRES.into()]
    }
}

/// The index holds no texts, only the rows of each trigram. That takes a third of the size, and
/// the search compares the text of each hit anyway.
const SQLITE: &str = "
CREATE VIRTUAL TABLE link_search USING fts5(
    search_text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail='none'
);
CREATE TRIGGER link_search_insert AFTER INSERT ON links BEGIN
    INSERT INTO link_search (rowid, search_text) VALUES (new.number, new.search_text);
END;
CREATE TRIGGER link_search_delete AFTER DELETE ON links BEGIN
    DELETE FROM link_search WHERE rowid = old.number;
END;
CREATE TRIGGER link_search_update AFTER UPDATE OF search_text ON links
WHEN new.search_text <> old.search_text BEGIN
    DELETE FROM link_search WHERE rowid = old.number;
    INSERT INTO link_search (rowid, search_text) VALUES (new.number, new.search_text);
END;
";

/// The extension ships with the server, but the account may not be allowed to
/// use it. Then searches read every row: slower, but with the same result.
const POSTGRES: &str = "
DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX links_search ON links USING gin (search_text gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'searches go without an index: %', SQLERRM;
END $$;
";
