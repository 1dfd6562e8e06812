//! Counts the versions of a link.
//!
//! Before, the time of the last change distinguished versions, so it had to run ahead of the clock
//! when a link changed twice within a second. A node of the previous version keeps the number
//! and still moves the time.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let revision = ColumnDef::new("revision")
        .big_integer()
        .not_null()
        .default(0)
        .take();
    let alter = Table::alter().table("links").add_column(revision).take();
    vec![sql(backend, &alter)]
}
