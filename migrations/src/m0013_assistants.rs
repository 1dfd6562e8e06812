//! Applications of others that get tokens by consent: who may ask, who decides, what was agreed, and
//! how tokens are renewed.
//!
//! A node of the previous version knows none of these tables. It lists and revokes the tokens of
//! assistants like others, and never lets one in, because it knows the form of their texts as that
//! of no token. The row of a connection that it leaves behind renews nothing.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Index, Table, TableCreateStatement},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let tables = [clients(), sessions(), codes(), connections()];
    let mut statements: Vec<String> = tables.iter().map(|table| sql(backend, table)).collect();
    let ending = Index::create()
        .name("assistant_connections_ends_at")
        .table("assistant_connections")
        .col("ends_at")
        .take();
    statements.push(sql(backend, &ending));
    statements
}

fn text(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).text().not_null().take()
}

fn number(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().not_null().take()
}

fn optional_number(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().null().take()
}

fn optional_text(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).text().null().take()
}

/// Applications that registered themselves.
fn clients() -> TableCreateStatement {
    Table::create()
        .table("assistant_clients")
        .col(text("id").primary_key())
        .col(text("name"))
        // Addresses, each on a line.
        .col(text("redirects"))
        .col(number("created_at"))
        // 1 once somebody consented; others are removed when there are many.
        .col(number("consented"))
        .take()
}

/// People who signed in to decide.
fn sessions() -> TableCreateStatement {
    Table::create()
        .table("consent_sessions")
        // SHA-256 of the cookie, in hexadecimal, as all digests here.
        .col(text("digest").primary_key())
        // The digest of a named token; null for the site token.
        .col(optional_text("holder"))
        .col(number("ends_at"))
        .take()
}

/// Decisions that were not exchanged for tokens yet.
fn codes() -> TableCreateStatement {
    Table::create()
        .table("consent_codes")
        .col(text("digest").primary_key())
        .col(text("client_id"))
        .col(text("client_name"))
        .col(text("client_host"))
        .col(text("redirect"))
        .col(text("challenge"))
        // Separated by blanks, as in `tokens`.
        .col(text("scopes"))
        // As in `token_bindings`; both are empty if the tokens reach every link.
        .col(text("link_ids"))
        .col(text("tags"))
        .col(text("resource"))
        .col(optional_number("until"))
        .col(number("expires_at"))
        .col(text("author"))
        .col(optional_text("author_client"))
        .take()
}

/// How tokens of assistants are renewed.
fn connections() -> TableCreateStatement {
    Table::create()
        .table("assistant_connections")
        // The digest in `tokens`.
        .col(text("digest").primary_key())
        .col(text("family").unique_key())
        .col(text("refresh"))
        .col(text("code").unique_key())
        .col(text("client_id"))
        .col(text("client_name"))
        .col(text("client_host"))
        .col(text("resource"))
        .col(optional_number("until"))
        .col(number("ends_at"))
        .take()
}
