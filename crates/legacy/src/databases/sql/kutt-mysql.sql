-- The links of Kutt for Slugline, from MySQL 5.7.8 or MariaDB 10.2.3 on. It only reads.
--   slugline import --sql kutt mysql | mariadb -N --raw --quick DATABASE > links.ndjson
-- Kutt writes the time of its own machine: say --zone at the import if that is not UTC.
SET NAMES utf8mb4;
SET SESSION sql_mode = '';
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;
SELECT JSON_OBJECT('k', 'head', 'of', 'kutt', 'v', 1, 'probe', CONVERT(x'5C220A09C3BCE280A8F09F9880' USING utf8mb4));
SELECT JSON_OBJECT('k', 'link', 'id', CAST(l.id AS CHAR), 'domain', d.address, 'slug', l.address, 'url', l.target,
  'comment', l.description, 'password', l.password, 'expiration', CAST(l.expire_in AS CHAR), 'disabled', l.banned,
  'visitsBefore', l.visit_count, 'createdAt', CAST(l.created_at AS CHAR), 'updatedAt', CAST(l.updated_at AS CHAR))
FROM links l LEFT JOIN domains d ON d.id = l.domain_id ORDER BY l.id;
SELECT JSON_OBJECT('k', 'end', 'lines', (SELECT COUNT(*) FROM links));
COMMIT;
