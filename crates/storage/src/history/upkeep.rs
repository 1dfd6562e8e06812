//! Removing what is no longer kept.

use sea_orm::sea_query::{
    DeleteStatement, Expr, ExprTrait, LockBehavior, LockType, Order, Query, SelectStatement,
};
use slugline_domain::{Keeping, UnixMillis};

use crate::{
    entity::{link::Column, version},
    failure::Failure,
    session::{Applied, Columns, Mutation, Row, Session},
};

pub(super) struct RemoveOld {
    pub(super) keeping: Keeping,
    pub(super) now: UnixMillis,
    pub(super) limit: u32,
}

/// The last version of a link.
struct Last {
    number: i64,
    id: String,
}

impl Row for Last {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            number: columns.number(0)?,
            id: columns.text(1)?,
        })
    }
}

impl Mutation for RemoveOld {
    type Answer = u64;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<u64>, Failure> {
        let backend = session.backend();
        if self.keeping.versions == 0 {
            let some = versions("number", self.limit);
            let some = session.rows::<Last>(backend.build(&some)).await?;
            let numbers = some.iter().map(|version| version.number);
            let remove = delete(Expr::col("number").is_in(numbers));
            let removed = session.run(backend.build(&remove)).await?;
            return Ok(Applied::Commit(removed));
        }
        let old = self.too_long_in_trash();
        let old = session.rows::<Last>(backend.build(&old)).await?;
        for Last { number, id } in &old {
            // A link of the same identity that was stored later has later versions.
            let until = Expr::col("number").lte(*number);
            let remove = delete(Expr::col(Column::Id).eq(id.as_str()).and(until));
            session.run(backend.build(&remove)).await?;
        }
        Ok(Applied::Commit(
            u64::try_from(old.len()).unwrap_or(u64::MAX),
        ))
    }
}

impl RemoveOld {
    fn too_long_in_trash(&self) -> SelectStatement {
        let before = self.keeping.ends_before(self.now);
        versions("deleted_at", self.limit)
            .and_where(Expr::col("deleted_at").lt(before.get()))
            .take()
    }
}

/// The first versions in this order. Two nodes select different ones. SQLite has one writer and
/// ignores the lock.
fn versions(order: &'static str, limit: u32) -> SelectStatement {
    Query::select()
        .column("number")
        .column(Column::Id)
        .from(version::TABLE)
        .order_by(order, Order::Asc)
        .limit(u64::from(limit))
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take()
}

fn delete(which: Expr) -> DeleteStatement {
    Query::delete()
        .from_table(version::TABLE)
        .and_where(which)
        .take()
}

#[cfg(test)]
mod tests {
    use sea_orm::DbBackend;
    use slugline_testkit::NOON;

    use super::*;
    use crate::links::plans::Schema;

    #[tokio::test]
    async fn links_that_are_too_long_in_the_trash_are_found_along_its_index() {
        let remove = RemoveOld {
            keeping: Keeping::default(),
            now: NOON.start(),
            limit: 20,
        };
        let schema = Schema::new().await;
        let plan = schema.plan(&DbBackend::Sqlite.build(&remove.too_long_in_trash()));
        assert_eq!(
            plan,
            "SEARCH link_versions USING INDEX link_versions_trash (deleted_at<?)"
        );
    }
}
