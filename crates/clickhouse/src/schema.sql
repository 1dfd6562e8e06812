-- The tables in ClickHouse, step 1. Statements end with a semicolon at the end of a line.

-- The visits.
--
-- Sorted by link, because most questions are about one; partitioned by month,
-- so that questions about a span of time and retention leave the rest alone.
-- The window is how many of the latest insertions are remembered by their
-- tokens, so that one that is repeated changes nothing; replicated tables have
-- a window anyway. `visitor` is the keyed hash of an address. `imported_ms` is the moment at which
-- a visit was imported; 0 for a visit that was recorded. An erasure deletes visits from up to a
-- moment. An imported visit is new at its import, so an earlier erasure leaves it.
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
    utm_source LowCardinality(String),
    utm_medium LowCardinality(String),
    utm_campaign LowCardinality(String),
    protection LowCardinality(String),
    sampling_interval UInt32,
    coherent UInt8,
    imported_ms Int64 DEFAULT 0
) ENGINE = MergeTree
PARTITION BY toYYYYMM(toDateTime(intDiv(ts_ms, 1000), 'UTC'))
ORDER BY (link_id, ts_ms)
SETTINGS non_replicated_deduplication_window = 10000;

-- The salts of all nodes. Rows go when their period is over.
CREATE TABLE IF NOT EXISTS slugline_salt (
    period String,
    start_ms Int64,
    end_ms Int64,
    salt String,
    offered_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
) ENGINE = MergeTree
ORDER BY (period, start_ms)
SETTINGS non_replicated_deduplication_window = 10000;

-- Erasures.
--
-- Every node deletes the visits of these links from up to these moments, those too that another
-- node sends later, because it could not reach ClickHouse before. After 90 days a node that was
-- away for so long may bring visits back.
CREATE TABLE IF NOT EXISTS slugline_erasure (
    link_id String,
    until_ms Int64,
    made_at DateTime DEFAULT now()
) ENGINE = MergeTree
ORDER BY (link_id, until_ms)
TTL made_at + toIntervalDay(90);

-- Gaps: ranges of minutes since 1970 whose visits the table of visits lacks in part.
--
-- Visits of a link under a slug, or of all links if both texts are empty, were sampled with
-- intervals up to `sampling_interval`. `lost` counts visits that
-- no node could store. A node may send a gap twice: both rows are equal, and count once.
CREATE TABLE IF NOT EXISTS slugline_gap (
    from_minute Int64,
    until_minute Int64,
    link_id String,
    slug String,
    sampling_interval UInt32,
    lost UInt64,
    id String
) ENGINE = ReplacingMergeTree
ORDER BY (until_minute, from_minute, link_id, slug, sampling_interval, id);
