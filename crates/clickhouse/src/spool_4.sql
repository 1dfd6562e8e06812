-- Version 4 of a spool.

-- One row or none: what the clock that ends salts showed at the last look, and the moment at which
-- doubts about it began.
CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1), seen_ms INTEGER NOT NULL, doubted_since_ms INTEGER
) STRICT;

-- Ranges of minutes since 1970 in which visits were sampled: those of a link under a slug, or of
-- all links if both texts are empty. `interval` is the largest one decided; 0 means that a version
-- without this table stored the visits.
CREATE TABLE sampled (
    id INTEGER PRIMARY KEY, from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL,
    link_id TEXT NOT NULL, slug TEXT NOT NULL, interval INTEGER NOT NULL
) STRICT;

-- Rows of the version before wait, and nobody recorded how they were sampled.
INSERT INTO sampled (from_minute, until_minute, link_id, slug, interval)
SELECT 0, CAST(strftime('%s', 'now') AS INTEGER) / 60, '', '', 0
WHERE EXISTS (SELECT 1 FROM spool);

-- Losses that are being sent, each with an identity by which ClickHouse counts it once.
CREATE TABLE loss_under_way (
    id TEXT PRIMARY KEY, from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL,
    visits INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
