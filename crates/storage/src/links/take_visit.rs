//! Counting a visit.

use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait},
};
use slugline_domain::{LinkId, Revision, ports::Taking};

use crate::{
    entity::link::{self, Column},
    failure::Failure,
    session::{Applied, Mutation, Session},
    sql_text::SqlText,
};

/// Counts a visit of a version of a link, if any is left.
#[derive(Clone, Debug)]
pub(crate) struct TakeVisit {
    pub(crate) id: LinkId,
    pub(crate) version: Revision,
}

impl Mutation for TakeVisit {
    type Answer = Taking;

    /// No cache holds the count.
    const IS_CACHED: bool = false;

    /// One statement decides and counts, so it needs no transaction around it.
    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Taking>, Failure> {
        static TAKE: SqlText = SqlText::new();
        let values = [
            1i64.into(),
            self.id.as_str().into(),
            self.version.get().into(),
        ];
        let take = TAKE.with(session.backend(), values, || {
            link::Entity::update_many()
                .col_expr(Column::VisitsUsed, Expr::col(Column::VisitsUsed).add(1i64))
                .filter(self.of_version())
                .filter(has_visits_left())
        });
        Ok(Applied::Commit(if session.run(take).await? > 0 {
            Taking::Taken
        } else {
            self.why_none(session).await?
        }))
    }
}

impl TakeVisit {
    fn of_version(&self) -> Condition {
        Condition::all()
            .add(Column::Id.eq(self.id.as_str()))
            .add(Column::Revision.eq(self.version.get()))
    }

    async fn why_none(&self, session: &impl Session) -> Result<Taking, Failure> {
        let limited = link::Entity::find()
            .select_only()
            .column(Column::Number)
            .filter(self.of_version())
            .filter(Column::MaxVisits.is_not_null());
        let found = session.first::<i64>(&limited).await?;
        Ok(found.map_or(Taking::Outdated, |_| Taking::UsedUp))
    }
}

/// Links that count visits and have some left.
pub(super) fn has_visits_left() -> Condition {
    let [used, most] =
        [Column::VisitsUsed, Column::MaxVisits].map(|column| Expr::col((link::Entity, column)));
    Condition::all().add(used.lt(most))
}
