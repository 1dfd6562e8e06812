-- The links of Shlink 4 or 5 for Slugline, from PostgreSQL 10 on. It only reads.
--   slugline import --sql shlink postgres | psql -XqAt DATABASE > links.ndjson
-- Times come as they are stored, without a zone: say --zone at the import if Shlink's is not UTC.
\set ON_ERROR_STOP on
\set QUIET on
\encoding UTF8
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
COPY (SELECT json_build_object('k', 'head', 'of', 'shlink', 'v', 1,
  'probe', convert_from('\x5c220a09c3bce280a8f09f9880', 'UTF8')))
TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
-- The tags and the conditions of a link stand before it, each on a line of its own.
COPY (SELECT line FROM (
  SELECT ut.short_url_id AS link, 1 AS part, 0 AS priority, 0 AS rule, t.id AS item,
    json_build_object('k', 'tag', 'link', ut.short_url_id::text, 'name', t.name) AS line
  FROM short_urls_in_tags ut JOIN tags t ON t.id = ut.tag_id
  UNION ALL
  SELECT r.short_url_id, 2, r.priority, r.id, coalesce(c.id, 0),
    json_build_object('k', 'condition', 'link', r.short_url_id::text, 'rule', r.id::text, 'url', r.long_url,
      'type', c.type, 'key', c.match_key, 'value', c.match_value)
  FROM short_url_redirect_rules r
  LEFT JOIN redirect_conditions_in_short_url_redirect_rules rc ON rc.short_url_redirect_rule_id = r.id
  LEFT JOIN redirect_conditions c ON c.id = rc.redirect_condition_id
  UNION ALL
  SELECT u.id, 3, 0, 0, 0,
    json_build_object('k', 'link', 'id', u.id::text, 'domain', d.authority, 'slug', u.short_code, 'url', u.original_url,
      'createdAt', u.date_created::text, 'startsAt', u.valid_since::text, 'expiration', u.valid_until::text,
      'maxVisits', u.max_visits, 'visitsBefore', (SELECT count(*) FROM visits v WHERE v.short_url_id = u.id),
      'name', u.title, 'noindex', NOT u.crawlable, 'redirectWithQuery', u.forward_query)
  FROM short_urls u LEFT JOIN domains d ON d.id = u.domain_id
) AS links ORDER BY link, part, priority, rule, item)
TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
COPY (SELECT json_build_object('k', 'end', 'lines', (SELECT count(*) FROM short_urls) + (SELECT count(*) FROM short_urls_in_tags)
    + (SELECT count(*) FROM short_url_redirect_rules r
    LEFT JOIN redirect_conditions_in_short_url_redirect_rules rc ON rc.short_url_redirect_rule_id = r.id)))
TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
COMMIT;
