-- The links of Shlink 4 or 5 for Slugline, from MySQL 5.7.8 or MariaDB 10.2.3 on. It only reads.
--   slugline import --sql shlink mysql | mariadb -N --raw --quick DATABASE > links.ndjson
-- Times come as they are stored, without a zone: say --zone at the import if Shlink's is not UTC.
SET NAMES utf8mb4;
SET SESSION sql_mode = '';
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;
SELECT JSON_OBJECT('k', 'head', 'of', 'shlink', 'v', 1, 'probe', CONVERT(x'5C220A09C3BCE280A8F09F9880' USING utf8mb4));
-- The tags and the conditions of a link stand before it, each on a line of its own.
SELECT line FROM (
  SELECT ut.short_url_id AS link, 1 AS part, 0 AS priority, 0 AS rule, t.id AS item,
    CONVERT(JSON_OBJECT('k', 'tag', 'link', CAST(ut.short_url_id AS CHAR), 'name', t.name) USING utf8mb4)
      COLLATE utf8mb4_bin AS line
  FROM short_urls_in_tags ut JOIN tags t ON t.id = ut.tag_id
  UNION ALL
  SELECT r.short_url_id, 2, r.priority, r.id, COALESCE(c.id, 0),
    CONVERT(JSON_OBJECT('k', 'condition', 'link', CAST(r.short_url_id AS CHAR), 'rule', CAST(r.id AS CHAR), 'url', r.long_url,
      'type', c.type, 'key', c.match_key, 'value', c.match_value) USING utf8mb4) COLLATE utf8mb4_bin
  FROM short_url_redirect_rules r
  LEFT JOIN redirect_conditions_in_short_url_redirect_rules rc ON rc.short_url_redirect_rule_id = r.id
  LEFT JOIN redirect_conditions c ON c.id = rc.redirect_condition_id
  UNION ALL
  SELECT u.id, 3, 0, 0, 0,
    CONVERT(JSON_OBJECT('k', 'link', 'id', CAST(u.id AS CHAR), 'domain', d.authority, 'slug', u.short_code, 'url', u.original_url,
      'createdAt', CAST(u.date_created AS CHAR), 'startsAt', CAST(u.valid_since AS CHAR),
      'expiration', CAST(u.valid_until AS CHAR), 'maxVisits', u.max_visits,
      'visitsBefore', (SELECT COUNT(*) FROM visits v WHERE v.short_url_id = u.id),
      'name', u.title, 'noindex', 1 - u.crawlable, 'redirectWithQuery', u.forward_query) USING utf8mb4)
      COLLATE utf8mb4_bin
  FROM short_urls u LEFT JOIN domains d ON d.id = u.domain_id
) AS links ORDER BY link, part, priority, rule, item;
SELECT JSON_OBJECT('k', 'end', 'lines', (SELECT COUNT(*) FROM short_urls) + (SELECT COUNT(*) FROM short_urls_in_tags)
    + (SELECT COUNT(*) FROM short_url_redirect_rules r
    LEFT JOIN redirect_conditions_in_short_url_redirect_rules rc ON rc.short_url_redirect_rule_id = r.id));
COMMIT;
