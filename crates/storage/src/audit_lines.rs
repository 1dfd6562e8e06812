//! Writes the lines of the audit trail, in the transactions of the changes.

use sea_orm::{DbBackend, EntityTrait};
use slugline_domain::{AuditNote, Host, LinkKey, TokenName};

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
    static INSERT: SqlText = SqlText::new();
    let line = audit::of_link(note, key);
    let insert = INSERT.with(session.backend(), values(line.clone()), || {
        audit::Entity::insert(line)
    });
    session.run(insert).await?;
    Ok(())
}

/// Writes the line of a changed domain.
pub(crate) async fn write_domain_line(
    session: &Session<'_>,
    note: &AuditNote,
    host: &Host,
) -> Result<(), Failure> {
    let line = audit::of_domain(note, host);
    session.execute(&audit::Entity::insert(line)).await?;
    Ok(())
}

/// Writes the line of a changed token.
pub(crate) async fn write_token_line(
    session: &Session<'_>,
    note: &AuditNote,
    name: &TokenName,
) -> Result<(), Failure> {
    let line = audit::of_token(note, name);
    session.execute(&audit::Entity::insert(line)).await?;
    Ok(())
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
