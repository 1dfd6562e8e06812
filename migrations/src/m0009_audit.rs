//! The audit trail: a line for each change.
//!
//! A node of the previous version makes changes without lines.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Index, IndexCreateStatement, Table, TableCreateStatement},
};

use crate::{m0001_links::by_code_point, step::sql};

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    vec![
        sql(backend, &trail(backend)),
        sql(backend, &newest_first()),
        sql(backend, &changes_of_a_link()),
    ]
}

fn trail(backend: DbBackend) -> TableCreateStatement {
    let text = |name: &'static str| ColumnDef::new(name).text().take();
    Table::create()
        .table("audit_trail")
        .col(number(backend))
        // Milliseconds.
        .col(ColumnDef::new("at").big_integer().not_null())
        .col(text("caller").not_null())
        .col(text("client").null())
        .col(text("operation").not_null())
        .col(by_code_point("slug", backend).null())
        .col(text("token").null())
        .take()
}

/// SQLite counts up without `AUTOINCREMENT`, which would cost another write for each line.
pub(crate) fn number(backend: DbBackend) -> ColumnDef {
    let mut number = ColumnDef::new("number");
    if backend == DbBackend::Sqlite {
        number.custom("integer");
    } else {
        number.big_integer().auto_increment();
    }
    number.not_null().primary_key().take()
}

/// Also finds the oldest lines, which are removed first.
fn newest_first() -> IndexCreateStatement {
    Index::create()
        .name("audit_trail_at")
        .table("audit_trail")
        .col("at")
        .col("number")
        .take()
}

fn changes_of_a_link() -> IndexCreateStatement {
    Index::create()
        .name("audit_trail_slug")
        .table("audit_trail")
        .col("slug")
        .col("at")
        .take()
}
