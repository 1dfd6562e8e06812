//! The progress of moving links from an older instance's store.

use sea_orm_migration::prelude::*;

pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m0003_link_migration"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    #[expect(
        elided_lifetimes_in_paths,
        reason = "the trait's own signature elides it"
    )]
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(runs()).await?;
        manager.create_table(failures()).await
    }
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
