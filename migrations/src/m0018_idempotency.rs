//! The answers to requests that clients may send again.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Index, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let text = |name: &'static str| ColumnDef::new(name).text().take();
    let keys = Table::create()
        .table("idempotency_keys")
        // The token by which the request came; each has keys of its own.
        .col(text("caller").not_null())
        .col(text("key").not_null())
        // A keyed digest of the request, in hexadecimal.
        .col(text("fingerprint").not_null())
        // The moment from which the key is free, in milliseconds.
        .col(ColumnDef::new("ends_at").big_integer().not_null())
        // The answer; no status while the request runs.
        .col(ColumnDef::new("status").big_integer().null())
        .col(text("entity_tag").null())
        .col(text("body").null())
        .primary_key(Index::create().col("caller").col("key"))
        .take();
    let ending = Index::create()
        .name("idempotency_keys_ends_at")
        .table("idempotency_keys")
        .col("ends_at")
        .take();
    vec![sql(backend, &keys), sql(backend, &ending)]
}
