-- Version 4 of a spool.

-- One row or none: what the clock that ends salts showed at the last look, and the moment at which
-- doubts about it began.
CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1), seen_ms INTEGER NOT NULL, doubted_since_ms INTEGER
) STRICT;
