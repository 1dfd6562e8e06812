//! Writes the lines of the audit trail, in the transactions of the changes.

use sea_orm::{DbBackend, EntityTrait, QueryTrait};
use slugline_domain::{AuditNote, LinkKey};

use crate::{
    entity::audit,
    failure::Failure,
    session::Session,
    sql_text::{SqlText, values},
};

/// Writes the line of a changed link.
pub(crate) async fn write_line(
    session: &Session<'_>,
    note: &AuditNote,
    key: &LinkKey,
) -> Result<(), Failure> {
    write(session, audit::of_link(note, key)).await
}

/// Writes a line.
pub(crate) async fn write(session: &Session<'_>, line: audit::ActiveModel) -> Result<(), Failure> {
    static INSERT: SqlText = SqlText::new();

    let insert = INSERT.with(session.backend(), values(line.clone()), || {
        audit::Entity::insert(line).into_query()
    });
    session.run(insert).await.map(drop)
}

/// Writes a line for each of these changed links; on PostgreSQL as many in a statement as it may
/// bind.
pub(crate) async fn write_lines(
    session: &Session<'_>,
    note: &AuditNote,
    keys: &[&LinkKey],
    bindings: usize,
) -> Result<(), Failure> {
    if session.backend() == DbBackend::Sqlite {
        for key in keys {
            write_line(session, note, key).await?;
        }
        return Ok(());
    }
    for some in keys.chunks(bindings / audit::NEW_COLUMNS) {
        let lines = some.iter().map(|key| audit::of_link(note, key));
        session.execute(&audit::Entity::insert_many(lines)).await?;
    }
    Ok(())
}
