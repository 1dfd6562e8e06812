-- The tables of a spool, version 1.

-- Rows in order of arrival, each as it will be sent.
CREATE TABLE spool (seq INTEGER PRIMARY KEY, row BLOB NOT NULL) STRICT;

-- What is under way: everything up to this row, known to ClickHouse by this
-- token. One row or none.
CREATE TABLE shipment (token TEXT NOT NULL, last_seq INTEGER NOT NULL) STRICT;

CREATE TABLE salt (
    period TEXT NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
    salt BLOB NOT NULL, PRIMARY KEY (period, start_ms)
) STRICT, WITHOUT ROWID;
