-- Day totals in ClickHouse, step 9: whether visitors of days add up.
--
-- A check looks at all visits, and has a row for each day: `imported` is the fingerprint of the
-- day's imported visits, and `shared` is 1 if another day has one of the day's visitors. Check 0 is
-- none: such a row says that a salt lasted longer than a day, so that visitors of the days up to
-- this one may be those of other days.
CREATE TABLE IF NOT EXISTS slugline_day_apart (
    check_id UInt64,
    day Int64,
    imported UInt64,
    shared UInt8,
    checked_at DateTime DEFAULT now()
) ENGINE = MergeTree
ORDER BY (check_id, day)
