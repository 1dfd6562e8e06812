//! The links that named tokens are bound to.
//!
//! The digest of a bound token in `tokens` is one that no node of the previous version looks for,
//! so such a node refuses the token; it can still list it and revoke it.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let text = |name: &'static str| ColumnDef::new(name).text().not_null().take();
    let bindings = Table::create()
        .table("token_bindings")
        // The digest in `tokens`. A node of the previous version leaves this row behind when it
        // revokes a token; nothing looks for it any more.
        .col(text("digest").primary_key())
        // Identities of links, separated by blanks.
        .col(text("link_ids"))
        // Tags, each after a capital T.
        .col(text("tags"))
        .take();
    vec![sql(backend, &bindings)]
}
