-- Day totals in ClickHouse, step 9: whether visitors of days add up.
--
-- A row with `rows` says that a node compared the visitors of a day, whose visits then had this
-- fingerprint, with those of all other days. `shared` is 1 if another day has one of them. The greatest
-- number of `rows` ends the comparison: the day's visits have changed since. A row without `rows` marks a
-- day as shared, or says that visitors of days up to this one may come under hashes of other days: their
-- salt lasts longer than a day, or a command stores older visits.
CREATE TABLE IF NOT EXISTS slugline_day_apart (
    day Int64,
    rows UInt64,
    hash UInt64,
    shared UInt8,
    noted_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
) ENGINE = MergeTree
ORDER BY day
