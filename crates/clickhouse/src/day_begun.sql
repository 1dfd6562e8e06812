-- Day totals in ClickHouse, step 10: the counts that have begun, also those that were interrupted.
--
-- `rows` and `hash` are the fingerprint of the day's visits that a count works on. Without `rows`, the count is
-- void: the visits have changed, or the count was interrupted, and its totals go.
CREATE TABLE IF NOT EXISTS slugline_day_begun (
    day Int64,
    rows UInt64,
    hash UInt64,
    count UInt64,
    begun_at DateTime DEFAULT now()
) ENGINE = MergeTree
ORDER BY count
