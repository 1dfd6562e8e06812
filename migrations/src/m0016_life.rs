//! When a link starts, how many visits it has, and where visitors go before and after.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let mut columns = [
        ColumnDef::new("starts_at").big_integer().null().take(),
        ColumnDef::new("start_url").text().null().take(),
        ColumnDef::new("expired_url").text().null().take(),
        ColumnDef::new("max_visits").big_integer().null().take(),
        ColumnDef::new("visits_used")
            .big_integer()
            .not_null()
            .default(0)
            .take(),
        ColumnDef::new("disabled")
            .boolean()
            .not_null()
            .default(false)
            .take(),
    ];
    let add = |column: &mut ColumnDef| {
        let alter = Table::alter()
            .table("short_links")
            .add_column(column)
            .take();
        sql(backend, &alter)
    };
    let mut statements: Vec<String> = columns.iter_mut().map(add).collect();
    if backend == DbBackend::Postgres {
        statements.push(ANNOUNCE_EDITS.into());
    }
    statements
}

/// As in `m0007_outbox`, with the texts of keys in place of slugs. A link that got another key is
/// recorded under both. A counted visit is announced to nobody: no node remembers the count.
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
            SELECT slugline_key(changed.domain, changed.slug) || CASE
                WHEN changed.slug = former.slug AND changed.domain = former.domain
                    AND changed.revision > former.revision
                THEN ' ' || changed.revision
                ELSE ''
            END AS line
            FROM changed LEFT JOIN former USING (number)
            WHERE former.visits_used IS NOT DISTINCT FROM changed.visits_used
                OR to_jsonb(former) - 'visits_used' <> to_jsonb(changed) - 'visits_used'
            UNION
            SELECT slugline_key(former.domain, former.slug)
            FROM former LEFT JOIN changed USING (number)
            WHERE (changed.domain, changed.slug) IS DISTINCT FROM (former.domain, former.slug)
        ) AS edits
    ) AS lines
    GROUP BY page
    ORDER BY page;
    RETURN NULL;
END
$$;
";
