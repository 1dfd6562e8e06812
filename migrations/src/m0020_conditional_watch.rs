//! The text by which a destination recognises that it has not changed since the watch asked last, and
//! an index that passes over hosts that are asked already.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Index, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let column = Table::alter()
        .table("link_watch")
        .add_column(ColumnDef::new("validator").text().null())
        .take();
    let index = Index::create()
        .name("link_watch_due")
        .table("link_watch")
        .col("next_at")
        .col("host")
        .col("claimed_until")
        .take();
    // The new index begins with the same column, and takes the page of the old one.
    let old = Index::drop()
        .name("link_watch_next_at")
        .table("link_watch")
        .to_owned();
    vec![
        sql(backend, &column),
        sql(backend, &old),
        sql(backend, &index),
    ]
}
