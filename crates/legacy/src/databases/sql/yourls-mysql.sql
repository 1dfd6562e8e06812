-- The links of YOURLS for Slugline, from MySQL 5.7.8 or MariaDB 10.2.3 on. It only reads.
--   slugline import --sql yourls mysql | mariadb -N --raw --quick DATABASE > links.ndjson
-- The text leaves the zone of the session alone, because `timestamp` follows it and YOURLS wrote UTC in this zone.
SET NAMES utf8mb4;
SET SESSION sql_mode = '';
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;
SELECT JSON_OBJECT('k', 'head', 'of', 'yourls', 'v', 1, 'probe', CONVERT(x'5C220A09C3BCE280A8F09F9880' USING utf8mb4));
SELECT JSON_OBJECT('k', 'link', 'slug', CONVERT(u.keyword USING utf8mb4), 'url', CONVERT(u.url USING utf8mb4),
  'name', CONVERT(u.title USING utf8mb4), 'createdAt', CAST(u.`timestamp` AS CHAR), 'visitsBefore', u.clicks)
FROM `yourls_url` u;
SELECT JSON_OBJECT('k', 'end', 'lines', (SELECT COUNT(*) FROM `yourls_url`));
COMMIT;
