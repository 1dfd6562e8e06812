//! Counts the versions of a link.
//!
//! Before, the time of the last change distinguished versions, so it had to run ahead of the clock
//! when a link changed twice within a second. A node of the previous version keeps the number
//! and still moves the time.

use sea_orm_migration::prelude::*;

pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m0005_revisions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    #[expect(
        elided_lifetimes_in_paths,
        reason = "the trait's own signature elides it"
    )]
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let revision = ColumnDef::new("revision")
            .big_integer()
            .not_null()
            .default(0)
            .take();
        let alter = Table::alter().table("links").add_column(revision).take();
        manager.alter_table(alter).await
    }
}
