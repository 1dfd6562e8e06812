//! PostgreSQL announces changes to links.
//!
//! Triggers announce every change, including those of older nodes that do not know
//! announcements, and of people with `psql`. SQLite counts the changes of other processes
//! itself.

use sea_orm::DbBackend;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    if backend == DbBackend::Postgres {
        [ANNOUNCE, ANNOUNCE_EDITS, ANNOUNCE_ALL, TRIGGERS]
            .map(Into::into)
            .into()
    } else {
        Vec::new()
    }
}

/// Sends the slugs of new links, each with a blank and its version number, or the slugs of
/// deleted links without a number. A message has at most 8,000 bytes, so each holds about 5,000
/// bytes of lines; the last line may be as long as the longest slug. Above 10,000 links a
/// single `*` means that every link may have changed.
const ANNOUNCE: &str = "
CREATE FUNCTION slugline_announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM (SELECT FROM changed LIMIT 10001) AS counted) > 10000 THEN
        PERFORM pg_notify('slugline_links', '*');
        RETURN NULL;
    END IF;
    PERFORM pg_notify('slugline_links', string_agg(line, E'\\n' ORDER BY line))
    FROM (
        SELECT line, sum(length(line) + 1) OVER (ORDER BY line) / 5000 AS page
        FROM (
            SELECT CASE TG_OP WHEN 'INSERT' THEN slug || ' ' || revision ELSE slug END AS line
            FROM changed
        ) AS changes
    ) AS lines
    GROUP BY page;
    RETURN NULL;
END
$$;
";

/// Sends the slugs of changed links in the same form. The version number follows after a blank
/// if the change increased it. A link that got another slug is announced under both.
const ANNOUNCE_EDITS: &str = "
CREATE FUNCTION slugline_announce_edits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM (SELECT FROM changed LIMIT 10001) AS counted) > 10000 THEN
        PERFORM pg_notify('slugline_links', '*');
        RETURN NULL;
    END IF;
    PERFORM pg_notify('slugline_links', string_agg(line, E'\\n' ORDER BY line))
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
    GROUP BY page;
    RETURN NULL;
END
$$;
";

/// `TRUNCATE` does not list the deleted links.
const ANNOUNCE_ALL: &str = "
CREATE FUNCTION slugline_announce_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('slugline_links', '*');
    RETURN NULL;
END
$$;
";

/// Per statement, not per row: a batch of a thousand links is a dozen messages.
const TRIGGERS: &str = "
CREATE TRIGGER slugline_new AFTER INSERT ON links
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION slugline_announce();
CREATE TRIGGER slugline_gone AFTER DELETE ON links
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION slugline_announce();
CREATE TRIGGER slugline_edited AFTER UPDATE ON links
    REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION slugline_announce_edits();
CREATE TRIGGER slugline_emptied AFTER TRUNCATE ON links
    FOR EACH STATEMENT EXECUTE FUNCTION slugline_announce_all();
";
