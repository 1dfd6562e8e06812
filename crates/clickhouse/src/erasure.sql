-- The table of erasures in ClickHouse, step 3.
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
TTL made_at + toIntervalDay(90)
