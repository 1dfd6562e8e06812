//! The text by which a destination recognises that it has not changed since the watch asked last.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let column = Table::alter()
        .table("link_watch")
        .add_column(ColumnDef::new("validator").text().null())
        .take();
    vec![sql(backend, &column)]
}
