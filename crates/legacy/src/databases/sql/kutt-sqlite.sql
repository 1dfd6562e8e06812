-- The links of Kutt for Slugline, from a SQLite file. It only reads.
--   slugline import data.sqlite
.bail on
.headers off
.mode list
.timer off
BEGIN;
SELECT json_object('k', 'head', 'of', 'kutt', 'v', 1, 'probe', CAST(x'5C220A09C3BCE280A8F09F9880' AS TEXT));
SELECT json_object('k', 'link', 'id', CAST(l.id AS TEXT), 'domain', CAST(d.address AS TEXT),
  'slug', CAST(l.address AS TEXT), 'url', CAST(l.target AS TEXT), 'comment', CAST(l.description AS TEXT),
  'password', CAST(l.password AS TEXT), 'expiration', l.expire_in, 'disabled', l.banned,
  'visitsBefore', l.visit_count, 'createdAt', l.created_at, 'updatedAt', l.updated_at)
FROM links l LEFT JOIN domains d ON d.id = l.domain_id ORDER BY l.id;
SELECT json_object('k', 'end', 'lines', (SELECT count(*) FROM links));
COMMIT;
