-- The salts of all nodes, step 2. Rows go when their period is over.
CREATE TABLE IF NOT EXISTS slugline_salt (
    period String,
    start_ms Int64,
    end_ms Int64,
    salt String,
    offered_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
) ENGINE = MergeTree
ORDER BY (period, start_ms)
SETTINGS non_replicated_deduplication_window = 10000
