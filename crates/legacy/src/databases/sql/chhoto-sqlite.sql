-- The links of Chhoto URL 6 or 7 for Slugline, from a SQLite file. It only reads.
--   slugline import urls.sqlite
-- Chhoto keeps no time of creation. Files of version 6 have no column `notes`; the name then means that of `none`.
.bail on
.headers off
.mode list
.timer off
BEGIN;
SELECT json_object('k', 'head', 'of', 'chhoto', 'v', 1, 'probe', CAST(x'5C220A09C3BCE280A8F09F9880' AS TEXT),
  'schema', (SELECT user_version FROM pragma_user_version));
SELECT json_object('k', 'link', 'id', CAST(u.id AS TEXT), 'slug', CAST(u.short_url AS TEXT), 'url', CAST(u.long_url AS TEXT),
  'visitsBefore', u.hits, 'expiration', CASE WHEN u.expiry_time > 0 THEN u.expiry_time END,
  'comment', (SELECT CAST(notes AS TEXT) FROM urls AS own WHERE own.id = u.id))
FROM urls AS u, (SELECT NULL AS notes) AS none ORDER BY u.id;
SELECT json_object('k', 'end', 'lines', (SELECT count(*) FROM urls));
COMMIT;
