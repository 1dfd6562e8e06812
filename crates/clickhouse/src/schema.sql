-- The table of an access log in ClickHouse, step 1.
--
-- Sorted by link, because most questions are about one; partitioned by month,
-- so that questions about a span of time and retention leave the rest alone.
-- The window is how many of the latest insertions are remembered by their
-- tokens, so that one that is repeated changes nothing; replicated tables have
-- a window anyway. `visitor` is the keyed hash of an address.
CREATE TABLE IF NOT EXISTS access_log (
    ts_ms Int64 CODEC(Delta(8), ZSTD(1)),
    ts DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(ts_ms, 'UTC'),
    link_id String CODEC(ZSTD(1)),
    slug String CODEC(ZSTD(1)),
    url String CODEC(ZSTD(3)),
    user_agent LowCardinality(String),
    visitor UInt64,
    referer LowCardinality(String),
    country LowCardinality(String),
    region LowCardinality(String),
    city LowCardinality(String),
    timezone LowCardinality(String),
    language LowCardinality(String),
    os LowCardinality(String),
    browser LowCardinality(String),
    browser_type LowCardinality(String),
    device LowCardinality(String),
    device_type LowCardinality(String),
    colo LowCardinality(String),
    latitude Decimal(5, 2),
    longitude Decimal(5, 2),
    sampling_interval UInt32,
    coherent UInt8
) ENGINE = MergeTree
PARTITION BY toYYYYMM(toDateTime(intDiv(ts_ms, 1000), 'UTC'))
ORDER BY (link_id, ts_ms)
SETTINGS non_replicated_deduplication_window = 10000
