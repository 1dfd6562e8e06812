//! PostgreSQL keeps announcements of changed links in a table.
//!
//! `NOTIFY` in the transaction of a change made PostgreSQL commit such transactions one after
//! the other. Now the triggers of the step `m0006_announcements` insert each message into
//! `link_announcements`, which nodes read. SQLite counts the changes of other processes itself.

use sea_orm::DbBackend;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    if backend == DbBackend::Postgres {
        [WAIT, TABLE, ANNOUNCE, ANNOUNCE_EDITS, ANNOUNCE_ALL]
            .map(Into::into)
            .into()
    } else {
        Vec::new()
    }
}

/// Waits for open transactions that changed links: the former triggers have announced their
/// changes, and nodes of this version would not learn of them.
const WAIT: &str = "LOCK TABLE links IN SHARE MODE";

/// `changed_in` is the transaction of the change, by which nodes find new messages.
///
/// An unlogged table costs no writes to the write-ahead log. A crash of the server empties
/// it, but also ends all sessions, and then every node reads its links again.
const TABLE: &str = "
CREATE UNLOGGED TABLE link_announcements (
    number bigint GENERATED ALWAYS AS IDENTITY,
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    message text NOT NULL
);
CREATE INDEX link_announcements_changed_in ON link_announcements (changed_in);
";

/// Records the slugs of new links, each with a blank and its version number, or the slugs of
/// deleted links without a number, in messages of about 5,000 bytes. Above 10,000 links a
/// single `*` means that every link may have changed.
///
/// `search_path` is fixed so that the table is found for a session with another one.
const ANNOUNCE: &str = "
CREATE OR REPLACE FUNCTION slugline_announce() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
    IF (SELECT count(*) FROM (SELECT FROM changed LIMIT 10001) AS counted) > 10000 THEN
        INSERT INTO link_announcements (message) VALUES ('*');
        RETURN NULL;
    END IF;
    INSERT INTO link_announcements (message)
    SELECT string_agg(line, E'\\n' ORDER BY line)
    FROM (
        SELECT line, sum(length(line) + 1) OVER (ORDER BY line) / 5000 AS page
        FROM (
            SELECT CASE TG_OP WHEN 'INSERT' THEN slug || ' ' || revision ELSE slug END AS line
            FROM changed
        ) AS changes
    ) AS lines
    GROUP BY page
    ORDER BY page;
    RETURN NULL;
END
$$;
";

/// Records the slugs of changed links in the same form. The version number follows after a
/// blank if the change increased it. A link that got another slug is recorded under both.
const ANNOUNCE_EDITS: &str = "
CREATE OR REPLACE FUNCTION slugline_announce_edits() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
    IF (SELECT count(*) FROM (SELECT FROM changed LIMIT 10001) AS counted) > 10000 THEN
        INSERT INTO link_announcements (message) VALUES ('*');
        RETURN NULL;
    END IF;
    INSERT INTO link_announcements (message)
    SELECT string_agg(line, E'\\n' ORDER BY line)
    FROM (
        SELECT line, sum(length(line) + 1) OVER (ORDER BY line) / 5000 AS page
        FROM (
            SELECT CASE
                WHEN changed.slug = former.slug AND changed.revision > former.revision
                THEN changed.slug || ' ' || changed.revision
                ELSE changed.slug
            END AS line
            FROM changed LEFT JOIN former USING (number)
            UNION
            SELECT former.slug
            FROM former LEFT JOIN changed USING (number)
            WHERE changed.slug IS DISTINCT FROM former.slug
        ) AS edits
    ) AS lines
    GROUP BY page
    ORDER BY page;
    RETURN NULL;
END
$$;
";

/// `TRUNCATE` does not list the deleted links.
const ANNOUNCE_ALL: &str = "
CREATE OR REPLACE FUNCTION slugline_announce_all() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO link_announcements (message) VALUES ('*');
    RETURN NULL;
END
$$;
";
