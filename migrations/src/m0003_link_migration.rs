//! The progress of moving links from an older instance's store.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Index, Table, TableCreateStatement},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    vec![sql(backend, &runs()), sql(backend, &failures())]
}

fn runs() -> TableCreateStatement {
    let count = |name: &'static str| ColumnDef::new(name).big_integer().not_null().take();
    Table::create()
        .table("link_migration_runs")
        // The process that starts the run chooses the number; of two at once,
        // one succeeds.
        .col(count("number").primary_key())
        .col(count("pages"))
        .col(ColumnDef::new("next").text().null())
        .col(count("scanned"))
        .col(count("inserted"))
        .col(count("skipped"))
        .col(count("expired"))
        .col(count("failed"))
        .col(count("ignored"))
        .col(count("began_at"))
        .col(ColumnDef::new("ended_at").big_integer().null())
        .take()
}

fn failures() -> TableCreateStatement {
    let text = |name: &'static str| ColumnDef::new(name).text().not_null().take();
    Table::create()
        .table("link_migration_failures")
        .col(ColumnDef::new("run").big_integer().not_null())
        .col(ColumnDef::new("position").big_integer().not_null())
        .col(text("entry_key"))
        .col(text("reason"))
        .primary_key(Index::create().col("run").col("position"))
        .take()
}
