//! Named tokens.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Table, TableCreateStatement},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let mut statements = vec![sql(backend, &tokens())];
    if backend == DbBackend::Postgres {
        statements.push(ANNOUNCE.into());
    }
    statements
}

fn tokens() -> TableCreateStatement {
    let text = |name: &'static str| ColumnDef::new(name).text().not_null().take();
    let moment = |name: &'static str| ColumnDef::new(name).big_integer().take();
    Table::create()
        .table("tokens")
        .col(text("name").primary_key())
        // SHA-256 of the token's text, in hexadecimal.
        .col(text("digest").unique_key())
        // Separated by blanks.
        .col(text("scopes"))
        .col(moment("expires_at").null())
        .col(moment("created_at").not_null())
        .col(moment("last_used_at").null())
        .take()
}

/// Records that a token may have been revoked or changed, as the step `m0007_outbox` does for
/// links. New tokens need no message, because nodes remember only tokens that they have found;
/// the moment of the last use needs none either.
const ANNOUNCE: &str = "
CREATE FUNCTION slugline_announce_tokens() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO link_announcements (message) VALUES ('_tokens');
    RETURN NULL;
END
$$;
CREATE TRIGGER slugline_tokens_changed
    AFTER DELETE OR TRUNCATE OR UPDATE OF name, digest, scopes, expires_at ON tokens
    FOR EACH STATEMENT EXECUTE FUNCTION slugline_announce_tokens();
";
