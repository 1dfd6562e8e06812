-- Version 4 of a spool.

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
