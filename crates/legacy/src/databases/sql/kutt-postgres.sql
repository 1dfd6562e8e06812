-- The links of Kutt for Slugline, from PostgreSQL 10 on. It only reads.
--   slugline import --sql kutt postgres | psql -XqAt DATABASE > links.ndjson
\set ON_ERROR_STOP on
\set QUIET on
\encoding UTF8
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL TimeZone = 'UTC';
COPY (SELECT json_build_object('k', 'head', 'of', 'kutt', 'v', 1,
  'probe', convert_from('\x5c220a09c3bce280a8f09f9880', 'UTF8')))
TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
COPY (SELECT json_build_object('k', 'link', 'id', l.id::text, 'domain', d.address, 'slug', l.address, 'url', l.target,
  'comment', l.description, 'password', l.password, 'expiration', l.expire_in::text, 'disabled', l.banned,
  'visitsBefore', l.visit_count, 'createdAt', l.created_at::text, 'updatedAt', l.updated_at::text)
FROM links l LEFT JOIN domains d ON d.id = l.domain_id ORDER BY l.id)
TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
COPY (SELECT json_build_object('k', 'end', 'lines', (SELECT count(*) FROM links)))
TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
COMMIT;
