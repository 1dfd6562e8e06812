-- Version 8 of an access log.

-- The totals of a day get a record for each segment of its visits: all of them, people's and bots'.
-- Days are counted anew for that. The record of segment 0 is there first: while its `directory` is
-- NULL, the holder of `claim` counts. Any change to the chunks of the day ends all records.
DROP TABLE day_totals;
DROP TABLE day_part;
CREATE TABLE day_totals (
    day INTEGER NOT NULL, segment INTEGER NOT NULL, claim INTEGER, n INTEGER NOT NULL,
    directory BLOB, PRIMARY KEY (day, segment)
) STRICT;
CREATE TABLE day_part (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TRIGGER day_totals_end AFTER DELETE ON day_totals BEGIN
    DELETE FROM day_part WHERE id BETWEEN (OLD.day * 65536 + OLD.segment) * 256
                                      AND (OLD.day * 65536 + OLD.segment) * 256 + 255;
END;
