//! The key of a link is its domain and its slug.
//!
//! A program of before would look a slug up in every domain at once. So the table of links has
//! another name, and no statement of such a program about links works any more. Links that were
//! there belong to the default domain, whose name is empty.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Index, IndexCreateStatement, IndexOrder, Table, TableCreateStatement},
};

use crate::{m0001_links::by_code_point, step::sql};

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let domain = by_code_point("domain", backend)
        .not_null()
        .default("")
        .take();
    let rename = Table::rename().table("links", "short_links").take();
    let add = Table::alter()
        .table("short_links")
        .add_column(domain)
        .take();
    let mut statements = vec![
        sql(backend, &rename),
        sql(backend, &add),
        FORMER_INDEXES.into(),
    ];
    let indexes = [key_is_unique(), newest_first(), oldest_first()];
    statements.extend(indexes.iter().map(|index| sql(backend, index)));
    if backend == DbBackend::Postgres {
        statements.extend([KEY, ANNOUNCE].map(Into::into));
    }
    statements.push(sql(backend, &domains(backend)));
    if backend == DbBackend::Postgres {
        statements.push(ANNOUNCE_DOMAINS.into());
    }
    statements.extend(["token_bindings", "consent_codes"].map(|table| {
        // Names of hosts, separated by blanks; a dot for the default domain. Empty if links of all
        // domains are meant.
        let names = ColumnDef::new("domains")
            .text()
            .not_null()
            .default("")
            .take();
        let alter = Table::alter().table(table).add_column(names).take();
        sql(backend, &alter)
    }));
    statements
}

/// Replaced by those below.
const FORMER_INDEXES: &str = "
DROP INDEX links_slug;
DROP INDEX links_newest;
DROP INDEX links_oldest;
";

fn key_is_unique() -> IndexCreateStatement {
    Index::create()
        .name("links_key")
        .table("short_links")
        .col("domain")
        .col("slug")
        .unique()
        .take()
}

/// Serves the default order of a domain's links.
fn newest_first() -> IndexCreateStatement {
    Index::create()
        .name("links_newest")
        .table("short_links")
        .col("domain")
        .col(("created_at", IndexOrder::Desc))
        .col("slug")
        .take()
}

/// Links of one second are listed by slug in both directions of time, so `links_newest` read
/// backwards leaves them to be sorted.
fn oldest_first() -> IndexCreateStatement {
    Index::create()
        .name("links_oldest")
        .table("short_links")
        .col("domain")
        .col("created_at")
        .col("slug")
        .take()
}

/// The named hosts, and what their operators decided. A null means what the instance decides.
fn domains(backend: DbBackend) -> TableCreateStatement {
    let url = |name: &'static str| ColumnDef::new(name).text().null().take();
    Table::create()
        .table("domains")
        .col(by_code_point("host", backend).not_null().primary_key())
        .col(url("home_url"))
        .col(url("not_found_url"))
        .col(url("expired_url"))
        .col(ColumnDef::new("case_sensitive").boolean().null())
        .col(ColumnDef::new("fall_through").boolean().not_null())
        .col(ColumnDef::new("created_at").big_integer().not_null())
        .take()
}

/// The text of a link's key, as the domain crate writes it.
const KEY: &str = "
CREATE FUNCTION slugline_key(domain text, slug text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE domain WHEN '' THEN slug ELSE domain || '/' || slug END
$$;
";

/// Records that domains may have changed, as the step `m0008_tokens` does for tokens.
const ANNOUNCE_DOMAINS: &str = "
CREATE FUNCTION slugline_announce_domains() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO link_announcements (message) VALUES ('_domains');
    RETURN NULL;
END
$$;
CREATE TRIGGER slugline_domains_changed
    AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE ON domains
    FOR EACH STATEMENT EXECUTE FUNCTION slugline_announce_domains();
";

/// As in `m0007_outbox`, with the texts of keys in place of slugs. The step `m0016_life` does the
/// same for edits.
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
            SELECT slugline_key(domain, slug)
                || CASE TG_OP WHEN 'INSERT' THEN ' ' || revision ELSE '' END AS line
            FROM changed
        ) AS changes
    ) AS lines
    GROUP BY page
    ORDER BY page;
    RETURN NULL;
END
$$;
";
