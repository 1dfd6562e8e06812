-- The links of Shlink 4 or 5 for Slugline, from a SQLite file. It only reads.
--   slugline import database.sqlite
-- Times come as they are stored, without a zone: say --zone at the import if Shlink's is not UTC.
.bail on
.headers off
.mode list
.timer off
BEGIN;
SELECT json_object('k', 'head', 'of', 'shlink', 'v', 1, 'probe', CAST(x'5C220A09C3BCE280A8F09F9880' AS TEXT));
-- The tags and the conditions of a link stand before it, each on a line of its own.
SELECT line FROM (
  SELECT ut.short_url_id AS link, 1 AS part, 0 AS priority, 0 AS rule, t.id AS item,
    json_object('k', 'tag', 'link', CAST(ut.short_url_id AS TEXT), 'name', CAST(t.name AS TEXT)) AS line
  FROM short_urls_in_tags ut JOIN tags t ON t.id = ut.tag_id
  UNION ALL
  SELECT r.short_url_id, 2, r.priority, r.id, coalesce(c.id, 0),
    json_object('k', 'condition', 'link', CAST(r.short_url_id AS TEXT), 'rule', CAST(r.id AS TEXT),
      'url', CAST(r.long_url AS TEXT), 'type', c.type, 'key', CAST(c.match_key AS TEXT),
      'value', CAST(c.match_value AS TEXT))
  FROM short_url_redirect_rules r
  LEFT JOIN redirect_conditions_in_short_url_redirect_rules rc ON rc.short_url_redirect_rule_id = r.id
  LEFT JOIN redirect_conditions c ON c.id = rc.redirect_condition_id
  UNION ALL
  SELECT u.id, 3, 0, 0, 0,
    json_object('k', 'link', 'id', CAST(u.id AS TEXT), 'domain', CAST(d.authority AS TEXT),
      'slug', CAST(u.short_code AS TEXT), 'url', CAST(u.original_url AS TEXT), 'createdAt', CAST(u.date_created AS TEXT),
      'startsAt', CAST(u.valid_since AS TEXT), 'expiration', CAST(u.valid_until AS TEXT), 'maxVisits', u.max_visits,
      'visitsBefore', (SELECT count(*) FROM visits v WHERE v.short_url_id = u.id), 'name', CAST(u.title AS TEXT),
      'noindex', NOT u.crawlable, 'redirectWithQuery', u.forward_query)
  FROM short_urls u LEFT JOIN domains d ON d.id = u.domain_id
) ORDER BY link, part, priority, rule, item;
SELECT json_object('k', 'end', 'lines', (SELECT count(*) FROM short_urls) + (SELECT count(*) FROM short_urls_in_tags)
    + (SELECT count(*) FROM short_url_redirect_rules r
    LEFT JOIN redirect_conditions_in_short_url_redirect_rules rc ON rc.short_url_redirect_rule_id = r.id));
COMMIT;
