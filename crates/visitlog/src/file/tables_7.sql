-- Version 7 of an access log.

-- Ranges of minutes since 1970 in which visits were sampled: those of a link under a slug, or of
-- all links if both texts are empty. `interval` is the largest one decided; 0 means that a version
-- without this table stored the visits.
CREATE TABLE sampled (
    id INTEGER PRIMARY KEY, from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL,
    link_id TEXT NOT NULL, slug TEXT NOT NULL, interval INTEGER NOT NULL
) STRICT;

-- Totals of days get the variance of their estimates, and are counted anew.
DELETE FROM day_totals;
