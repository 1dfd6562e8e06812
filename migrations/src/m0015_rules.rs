//! Rules, splits and patterns of links, and secrets that all nodes share.
//!
//! The column of a split is `shares`, because `split` is a function of PostgreSQL's.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let columns = [
        ColumnDef::new("rules").text().null().take(),
        ColumnDef::new("shares").text().null().take(),
        ColumnDef::new("shares_until").big_integer().null().take(),
        ColumnDef::new("forward_path").boolean().null().take(),
    ];
    let mut statements: Vec<String> = columns
        .into_iter()
        .map(|column| {
            let alter = Table::alter()
                .table("short_links")
                .add_column(column)
                .take();
            sql(backend, &alter)
        })
        .collect();
    let text = |name: &'static str| ColumnDef::new(name).text().not_null().take();
    let secrets = Table::create()
        .table("secrets")
        .col(text("name").primary_key())
        // 32 bytes in hexadecimal. The first node that needs a secret draws it.
        .col(text("secret"))
        .take();
    statements.push(sql(backend, &secrets));
    statements
}
