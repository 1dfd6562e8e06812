-- Version 3 of a spool. Its rows may have formats that versions before do not know, so
-- those refuse the file.

-- Links whose visits from up to a moment are to be erased from ClickHouse.
CREATE TABLE erasure (link_id TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
