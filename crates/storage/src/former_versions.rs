//! Keeps former versions of links, in the transactions of the changes. `history` reads them.

use sea_orm::{
    Condition, IdenStatic, Statement, Value,
    sea_query::{Expr, ExprTrait, InsertStatement, LockType, Query},
};
use slugline_domain::{AuditNote, Ending, Keeping, LinkId};

use crate::{
    entity::{link, version},
    failure::Failure,
    session::Session,
    sql_text::SqlText,
};

/// The change that is about to end versions of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Edit,
    Deletion,
}

/// Keeps the links that meet a condition as they are, before they change. No other transaction changes them
/// until the transaction ends. Returns false if there are none; if nothing is kept, it does not look.
pub(crate) async fn keep(
    session: &Session<'_>,
    keeping: Keeping,
    change: End,
    note: &AuditNote,
    which: Condition,
) -> Result<bool, Failure> {
    if let Some(kept) = kept(session, keeping, change, which.clone()).await? {
        return Ok(kept);
    }
    let copy = session.backend().build(&copy(change, note, which));
    Ok(session.run(copy).await? > 0)
}

/// As [`keep`], for a condition whose values alone differ from one call to the next: these.
pub(crate) async fn keep_one(
    session: &Session<'_>,
    keeping: Keeping,
    change: End,
    note: &AuditNote,
    which: Condition,
    (text, which_values): (&SqlText, impl IntoIterator<Item = Value>),
) -> Result<bool, Failure> {
    if let Some(kept) = kept(session, keeping, change, which.clone()).await? {
        return Ok(kept);
    }
    let values = end_values(change, note).into_iter().chain(which_values);
    let copy = text.with(session.backend(), values, || copy(change, note, which));
    Ok(session.run(copy).await? > 0)
}

/// Removes versions of a link beyond the number that is kept, after one was added.
pub(crate) async fn prune(
    session: &Session<'_>,
    keeping: Keeping,
    id: &LinkId,
) -> Result<(), Failure> {
    const PRUNE: &str = "
        DELETE FROM link_versions WHERE id = $1 AND number <= (
            SELECT number FROM link_versions WHERE id = $1 ORDER BY number DESC LIMIT 1 OFFSET $2
        )";
    let values = [id.as_str().into(), i64::from(keeping.versions).into()];
    let prune = Statement::from_sql_and_values(session.backend(), PRUNE, values);
    session.run(prune).await?;
    Ok(())
}

/// The answer if nothing is to be kept. Then a deletion takes the former versions with it.
async fn kept(
    session: &Session<'_>,
    keeping: Keeping,
    change: End,
    which: Condition,
) -> Result<Option<bool>, Failure> {
    match change {
        End::Edit if keeping.versions > 0 => Ok(None),
        End::Deletion if keeping.has_trash() => Ok(None),
        End::Edit => Ok(Some(true)),
        End::Deletion => {
            let ids = Query::select()
                .column(link::Column::Id)
                .from(link::Entity)
                .cond_where(which)
                .take();
            let versions = Query::delete()
                .from_table(version::TABLE)
                .and_where(Expr::col(link::Column::Id).in_subquery(ids))
                .take();
            session.run(session.backend().build(&versions)).await?;
            Ok(Some(true))
        }
    }
}

/// Copies links into the table of versions: their columns, their tags, and the change that ends
/// the version.
fn copy(change: End, note: &AuditNote, which: Condition) -> InsertStatement {
    let former = Query::select()
        .columns(version::columns())
        .exprs(end_values(change, note).map(Expr::val))
        .from(link::Entity)
        .cond_where(which)
        .lock(LockType::Update)
        .take();
    let columns = version::columns()
        .map(|column| column.as_str())
        .chain(version::END);
    let mut insert = Query::insert();
    insert.into_table(version::TABLE).columns(columns);
    let insert = insert.select_from(former);
    insert.expect("it selects what it names").take()
}

/// The values of [`version::END`].
fn end_values(change: End, note: &AuditNote) -> [Value; 4] {
    let end = Ending::by(note);
    let deleted_at = (change == End::Deletion).then_some(end.at.get());
    [
        end.at.get().into(),
        end.by.as_str().into(),
        end.operation.into(),
        deleted_at.into(),
    ]
}
