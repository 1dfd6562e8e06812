-- The table of gaps in ClickHouse, step 4: ranges of minutes since 1970 whose visits the table of
-- visits lacks in part.
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
ORDER BY (until_minute, from_minute, link_id, slug, sampling_interval, id)
