-- Day totals in ClickHouse, step 8: visits and visitors of each value of a column, for the counts
-- in `slugline_day`.
CREATE TABLE IF NOT EXISTS slugline_day_value (
    name LowCardinality(String),
    link_id String,
    segment UInt8,
    day Int64,
    count UInt64,
    value String CODEC(ZSTD(1)),
    visits UInt64,
    visitors UInt64
) ENGINE = MergeTree
PARTITION BY intDiv(day, 30)
ORDER BY (name, link_id, segment, day, value)
