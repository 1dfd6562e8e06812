-- Step 5: the days whose visits were perhaps sampled, before gaps were recorded. A day counts as
-- one on which nothing was sampled if no row of it was, and no minute of it, or of the day before,
-- has more than half of the rows above which nodes sample by default. Later visits have a record,
-- also on the same day.
INSERT INTO slugline_gap
SELECT toInt64(day * 1440),
       least(toInt64(day * 1440 + 2879), toInt64(intDiv(toUnixTimestamp(now()), 60))),
       '', '', toUInt32(0), toUInt64(0), ''
FROM (
    SELECT intDiv(minute, 1440) AS day FROM (
        SELECT minute, max(rows) AS of_link, sum(rows) AS of_all, max(k) AS largest FROM (
            SELECT intDiv(ts_ms, 60000) AS minute, link_id, count() AS rows,
                   max(sampling_interval) AS k
            FROM access_log GROUP BY minute, link_id
        ) GROUP BY minute
    ) GROUP BY day HAVING max(of_link) > 300 OR max(of_all) > 10000 OR max(largest) > 1
)
