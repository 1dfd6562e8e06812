//! A copy of each link's tags in its row, so that finding a link reads one table less.
//!
//! A node of the previous version does not write the copy. So the copy names the revision of the
//! link that it belongs to. If the link has another revision, `link_tags` has its tags.

use sea_orm::{
    DbBackend,
    sea_query::{ColumnDef, Table},
};

use crate::step::sql;

pub(crate) fn statements(backend: DbBackend) -> Vec<String> {
    let mut columns = [
        ColumnDef::new("tags").text().null().take(),
        ColumnDef::new("tags_revision").big_integer().null().take(),
    ];
    let add = |column: &mut ColumnDef| {
        let alter = Table::alter().table("links").add_column(column).take();
        sql(backend, &alter)
    };
    let mut statements: Vec<String> = columns.iter_mut().map(add).collect();
    if backend == DbBackend::Sqlite {
        statements.push(FILL.into());
    }
    statements
}

/// Copies the tags of all links. On PostgreSQL this would lock every row while nodes of the
/// previous version run, so there a link gets its copy with its next change.
const FILL: &str = "
UPDATE links SET tags_revision = revision, tags = (
    SELECT string_agg('T' || tag, '') FROM link_tags WHERE link_id = links.id
);
";
