-- Version 2 of a spool.

-- Which columns a row has, so that it is sent as it was written also by a
-- version that writes others.
ALTER TABLE spool ADD COLUMN format INTEGER NOT NULL DEFAULT 1;

-- What is under way: everything up to this row. One at most, also where two
-- processes share the spool. A process of the version before may be one of them,
-- and names neither the first column nor the last.
ALTER TABLE shipment RENAME TO shipment_1;
CREATE TABLE shipment (
    only INTEGER PRIMARY KEY CHECK (only = 1), token TEXT NOT NULL, last_seq INTEGER NOT NULL,
    format INTEGER NOT NULL DEFAULT 1
) STRICT;
INSERT INTO shipment SELECT 1, token, last_seq, 1 FROM shipment_1 ORDER BY rowid LIMIT 1;
DROP TABLE shipment_1;

-- Visits that were never stored, by the minutes since 1970 in which they came.
CREATE TABLE loss (
    from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL, visits INTEGER NOT NULL,
    PRIMARY KEY (from_minute, until_minute)
) STRICT, WITHOUT ROWID;
