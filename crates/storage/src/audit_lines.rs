//! Writes the lines of the audit trail, in the transactions of the changes.

use sea_orm::{DbBackend, EntityTrait};
use slugline_domain::{AuditNote, Slug, TokenName};

use crate::{
    entity::audit,
    failure::Failure,
    session::Session,
    sql_text::{SqlText, values},
};

/// Writes the line of a changed link.
pub(crate) async fn write_line(
    session: &impl Session,
    note: &AuditNote,
    slug: &Slug,
) -> Result<(), Failure> {
    static INSERT: SqlText = SqlText::new();
    let line = audit::of_link(note, slug);
    let insert = INSERT.with(session.backend(), values(line.clone()), || {
        audit::Entity::insert(line)
    });
    session.run(insert).await?;
    Ok(())
}

/// Writes the line of a changed token.
pub(crate) async fn write_token_line(
    session: &impl Session,
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
    session: &impl Session,
    note: &AuditNote,
    slugs: &[&Slug],
    bindings: usize,
) -> Result<(), Failure> {
    if session.backend() == DbBackend::Sqlite {
        for slug in slugs {
            write_line(session, note, slug).await?;
        }
        return Ok(());
    }
    for some in slugs.chunks(bindings / audit::NEW_COLUMNS) {
        let lines = some.iter().map(|slug| audit::of_link(note, slug));
        session.execute(&audit::Entity::insert_many(lines)).await?;
    }
    Ok(())
}
