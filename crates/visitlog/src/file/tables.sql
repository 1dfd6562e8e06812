-- The tables of an access log.

-- Links by numbers of their own, which chunks and the tail refer to.
CREATE TABLE link (number INTEGER PRIMARY KEY AUTOINCREMENT, link_id TEXT NOT NULL UNIQUE) STRICT;

-- Batches of rows as they arrived, each with the number of its last row, the
-- moments of its earliest and its latest row, and how many it has. Those that
-- cannot be read have numbers below 1.
CREATE TABLE tail (
    seq INTEGER PRIMARY KEY, first_ts INTEGER NOT NULL, last_ts INTEGER NOT NULL,
    n INTEGER NOT NULL, rows BLOB NOT NULL
) STRICT;

-- Rows of one day of UTC, which has this number since 1970. No chunk gets the number of one that
-- was deleted, because an export goes through the numbers that there were when it began.
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY AUTOINCREMENT, format INTEGER NOT NULL, day INTEGER NOT NULL,
    min_ts INTEGER NOT NULL, max_ts INTEGER NOT NULL, n INTEGER NOT NULL, directory BLOB NOT NULL
) STRICT;
CREATE INDEX chunk_time ON chunk (max_ts, min_ts);

-- Columns of a chunk. The number is 256 times that of the chunk, and the
-- column's place in the directory.
CREATE TABLE part (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TRIGGER chunk_end AFTER DELETE ON chunk BEGIN
    DELETE FROM part WHERE id BETWEEN OLD.id * 256 AND OLD.id * 256 + 255;
END;

-- Links whose visits are being erased, by the numbers that they had. No link gets such a number
-- again. Questions and new chunks leave the rows of these numbers out.
CREATE TABLE erasure (link INTEGER PRIMARY KEY) STRICT;

-- The totals of a day whose chunks were counted, in columns like those of a chunk: a record for
-- each segment of its visits, which are all of them, people's and bots'. The record of segment 0 is
-- there first: while its `directory` is NULL, the holder of `claim` counts. Any change to the chunks
-- of the day ends all records.
CREATE TABLE day_totals (
    day INTEGER NOT NULL, segment INTEGER NOT NULL, claim INTEGER, n INTEGER NOT NULL,
    directory BLOB, PRIMARY KEY (day, segment)
) STRICT;
CREATE TABLE day_part (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TRIGGER day_totals_end AFTER DELETE ON day_totals BEGIN
    DELETE FROM day_part WHERE id BETWEEN (OLD.day * 65536 + OLD.segment) * 256
                                      AND (OLD.day * 65536 + OLD.segment) * 256 + 255;
END;
CREATE TRIGGER chunk_comes AFTER INSERT ON chunk BEGIN
    DELETE FROM day_totals WHERE day = NEW.day;
END;
CREATE TRIGGER chunk_goes AFTER DELETE ON chunk BEGIN
    DELETE FROM day_totals WHERE day = OLD.day;
END;
CREATE TRIGGER chunk_changes AFTER UPDATE ON chunk BEGIN
    DELETE FROM day_totals WHERE day IN (OLD.day, NEW.day);
END;

-- Days of UTC with visits. `apart` is 1 if all of them were stored while a salt served for a
-- day: then no visitor of the day is one of another day.
CREATE TABLE salted_day (day INTEGER PRIMARY KEY, apart INTEGER NOT NULL) STRICT;
CREATE TRIGGER salted_day_changes AFTER UPDATE ON salted_day WHEN NEW.apart <> OLD.apart BEGIN
    DELETE FROM day_totals WHERE day = NEW.day;
END;
CREATE TRIGGER salted_day_goes AFTER DELETE ON salted_day BEGIN
    DELETE FROM day_totals WHERE day = OLD.day;
END;

-- One row or none: the key of the fingerprints of texts in chunks.
CREATE TABLE text_key (key BLOB NOT NULL) STRICT;

-- Visits that were never stored, by the minutes since 1970 in which they came.
CREATE TABLE loss (
    from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL, visits INTEGER NOT NULL,
    PRIMARY KEY (from_minute, until_minute)
) STRICT, WITHOUT ROWID;

-- One row or none: what the clock that ends visits showed at the last look, and
-- the moment at which doubts about it began.
CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1), seen_ms INTEGER NOT NULL, doubted_since_ms INTEGER
) STRICT;

CREATE TABLE salt (
    period TEXT NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
    salt BLOB NOT NULL, PRIMARY KEY (period, start_ms)
) STRICT, WITHOUT ROWID;

-- Ranges of minutes since 1970 in which visits were sampled: those of a link under a slug, or of
-- all links if both texts are empty. `interval` is the largest one decided.
CREATE TABLE sampled (
    id INTEGER PRIMARY KEY, from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL,
    link_id TEXT NOT NULL, slug TEXT NOT NULL, interval INTEGER NOT NULL
) STRICT;
