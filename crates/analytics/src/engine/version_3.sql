-- Version 3 of an access log: visits that were never stored, by the minutes
-- since 1970 in which they came; and what a clock that ends visits has shown.

CREATE TABLE loss (
    from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL, visits INTEGER NOT NULL,
    PRIMARY KEY (from_minute, until_minute)
) STRICT, WITHOUT ROWID;

-- One row or none: the moment at the last look, and the moment at which doubts
-- about it began.
CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1), seen_ms INTEGER NOT NULL, doubted_since_ms INTEGER
) STRICT;
