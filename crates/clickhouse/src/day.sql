-- Day totals in ClickHouse, step 7: the visits and visitors of days that are over.
--
-- Three rows are about all visits of a day, those of people and those of bots: segments 0, 1 and
-- 2; another three about each busy link; and three about each busy domain, whose `link_id` is a slash
-- before its name, if the day has visits of named domains. Then `lists` of the first rows names `domains`. `rows` and `hash` are the fingerprint of the day's visits when they were counted: a row
-- counts only as long as it is the fingerprint of the visits that are there now. `count` names a
-- count. `lists` names the columns whose values are in `slugline_day_value`. `crates/analytics`
-- describes the numbers of the arrays (`moments`).
CREATE TABLE IF NOT EXISTS slugline_day (
    day Int64,
    rows UInt64,
    hash UInt64,
    count UInt64,
    link_id String,
    slug String,
    segment UInt8,
    protected UInt8,
    lists Array(String),
    visits Array(UInt64),
    visitors Array(UInt64),
    visit_variance Array(UInt64),
    visitor_variance Array(UInt64)
) ENGINE = MergeTree
ORDER BY (link_id, segment, day)
