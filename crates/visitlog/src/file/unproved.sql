-- Nobody recorded how visits from before this moment were sampled. The next start replaces this row
-- by one for each day of which it cannot be proved that nothing was.
INSERT INTO sampled (from_minute, until_minute, link_id, slug, interval)
SELECT -153722867280912, max(moment, CAST(strftime('%s', 'now') AS INTEGER)) / 60, '', '', 0
FROM (
    SELECT max(coalesce((SELECT max(max_ts) FROM chunk), 0),
               coalesce((SELECT max(last_ts) FROM tail), 0)) / 1000 AS moment
)
WHERE EXISTS (SELECT 1 FROM chunk) OR EXISTS (SELECT 1 FROM tail);
