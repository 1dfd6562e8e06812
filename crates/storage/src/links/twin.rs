//! Finding a link that may stand for a new one.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, DbBackend, EntityTrait, IdenStatic, Iterable,
    QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait},
};
use slugline_domain::{Link, LinkStatus, Reach, StatusFilter, UnixSeconds};

use super::{
    conditions::{has_tag, is_bound_to, with_status},
    write::to_new_row,
};
use crate::{
    entity::{
        link::{self, Column},
        tag,
    },
    failure::Failure,
    session::{Read, Session},
};

/// Finds a link that may stand for a new one, among those with its destination.
#[derive(Debug)]
pub(super) struct FindTwin {
    pub(super) reach: Reach,
    pub(super) new: Link,
    pub(super) now: UnixSeconds,
}

impl Read for FindTwin {
    type Answer = Option<Link>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<Link>, Failure> {
        let row = session
            .first::<link::Model>(&select(session.backend(), self))
            .await?;
        let found = row.map(link::to_link).transpose()?;
        // The statement compares texts; the domain decides.
        Ok(found.filter(|link| link.may_stand_for(&self.new, self.now)))
    }
}

/// The active links that are equal to the new one; the first one is enough.
pub(super) fn select(
    backend: DbBackend,
    FindTwin { reach, new, now }: &FindTwin,
) -> Select<link::Entity> {
    let key = link::to_row(new).destination_key;
    let tags = &new.content.tags;
    let tagged = tag::Entity::find()
        .select_only()
        .column_as(tag::Column::Tag.count(), "tags")
        .filter(
            Expr::col((tag::Entity, tag::Column::LinkId)).equals((link::Entity, link::Column::Id)),
        )
        .into_query();
    let count = i64::try_from(tags.iter().count()).unwrap_or(i64::MAX);
    let same_tags = tags
        .iter()
        .fold(Condition::all(), |all, tag| all.add(has_tag(tag)))
        .add(Expr::from(tagged).eq(count));
    link::select()
        .filter(Column::DestinationKey.eq(key))
        .filter(with_status(StatusFilter::Only(LinkStatus::Active), *now))
        .filter(same_row(backend, new))
        .filter(same_tags)
        .filter(reach.binding().map_or_else(Condition::all, is_bound_to))
        .limit(1)
}

/// The rows that have the values of the new one wherever these make a difference.
fn same_row(backend: DbBackend, new: &Link) -> Condition {
    let row = to_new_row(new);
    Column::iter()
        .filter(|column| makes_a_difference(*column))
        .fold(Condition::all(), |all, column| {
            let value = row.get(column).into_value();
            all.add(match value.filter(|value| *value != value.as_null()) {
                // The sign keeps SQLite, which has no statistics, from beginning with the index
                // of another column.
                Some(value) if backend == DbBackend::Sqlite => {
                    Expr::cust_with_values(format!("+{} = ?", column.as_str()), [value])
                }
                Some(value) => column.eq(value),
                None => column.is_null(),
            })
        })
}

fn makes_a_difference(column: Column) -> bool {
    match column {
        Column::Number
        | Column::Id
        | Column::Slug
        | Column::CreatedAt
        | Column::UpdatedAt
        | Column::Revision
        // It is made of others.
        | Column::SearchText
        | Column::DestinationKey
        // Conditions of their own compare tags, whatever their order.
        | Column::Tags => false,
        Column::Domain
        | Column::Destination
        | Column::Comment
        | Column::Title
        | Column::Description
        | Column::Image
        | Column::Apple
        | Column::Google
        | Column::Geo
        | Column::RedirectWithQuery
        | Column::Cloaking
        | Column::Proxy
        | Column::FlaggedUnsafe
        | Column::Rules
        | Column::Shares
        | Column::SharesUntil
        | Column::ForwardPath
        | Column::PasswordHash
        | Column::ExpiresAt
        | Column::EndsAt
        | Column::StartsAt
        | Column::StartUrl
        | Column::ExpiredUrl
        | Column::MaxVisits
        | Column::VisitsUsed
        | Column::Disabled => true,
    }
}
