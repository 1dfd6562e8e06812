-- The tables of a spool.

-- Rows in order of arrival, each as it will be sent.
CREATE TABLE spool (seq INTEGER PRIMARY KEY, row BLOB NOT NULL) STRICT;

-- What is under way: everything up to this row, known to ClickHouse by this token. One row or none,
-- also where two processes share the spool.
CREATE TABLE shipment (
    only INTEGER PRIMARY KEY CHECK (only = 1), token TEXT NOT NULL, last_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE salt (
    period TEXT NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
    salt BLOB NOT NULL, PRIMARY KEY (period, start_ms)
) STRICT, WITHOUT ROWID;

-- Visits that were never stored, by the minutes since 1970 in which they came.
CREATE TABLE loss (
    from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL, visits INTEGER NOT NULL,
    PRIMARY KEY (from_minute, until_minute)
) STRICT, WITHOUT ROWID;

-- Links whose visits from up to a moment are to be erased from ClickHouse.
CREATE TABLE erasure (link_id TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- One row or none: what the clock that ends salts showed at the last look, and the moment at which
-- doubts about it began.
CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1), seen_ms INTEGER NOT NULL, doubted_since_ms INTEGER
) STRICT;

-- Ranges of minutes since 1970 in which visits were sampled: those of a link under a slug, or of
-- all links if both texts are empty. `interval` is the largest one decided.
CREATE TABLE sampled (
    id INTEGER PRIMARY KEY, from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL,
    link_id TEXT NOT NULL, slug TEXT NOT NULL, interval INTEGER NOT NULL
) STRICT;

-- Losses that are being sent, each with an identity by which ClickHouse counts it once.
CREATE TABLE loss_under_way (
    id TEXT PRIMARY KEY, from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL,
    visits INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
