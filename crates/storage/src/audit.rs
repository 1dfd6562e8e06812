//! The audit trail, read and shortened. `audit_lines` writes it.

use async_trait::async_trait;
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{LockBehavior, LockType},
};
use slugline_domain::{
    AuditFilter, AuditLine, AuditNote, AuditPosition, AuditQuery, AuditedOperation, CallerName,
    DomainName, LinkKey, UnixMillis,
    ports::{AuditTrail, StoreError},
};

use crate::{
    entity::audit::{self, Column},
    links::SqlLinkStore,
    session::{Applied::Commit, Session},
};

#[async_trait]
impl AuditTrail for SqlLinkStore {
    async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        self.database
            .rows("read the audit trail", select(query))
            .await
    }

    async fn add(&self, note: &AuditNote, key: Option<&LinkKey>) -> Result<(), StoreError> {
        let line = audit::of(note, key.map(LinkKey::to_string), None);
        let insert = audit::Entity::insert(line);
        let added = self.database.execute("write into the audit trail", insert);
        added.await.map(drop)
    }

    async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let remove = async move |session: &Session<'_>| {
            let numbers = session.all::<i64>(&oldest(moment, limit)).await?;
            if numbers.is_empty() {
                return Ok(Commit(0));
            }
            let delete = audit::Entity::delete_many().filter(Column::Number.is_in(numbers));
            Ok(Commit(session.execute(&delete).await?))
        };
        self.database
            .change("shorten the audit trail", remove)
            .await
    }
}

fn select(query: &AuditQuery) -> Select<audit::Entity> {
    let mut select = audit::Entity::find().filter(meeting(&query.filter));
    if let Some(position) = &query.after {
        select = select.filter(after(position));
    }
    select
        .order_by(Column::At, Order::Desc)
        .order_by(Column::Number, Order::Desc)
        .limit(u64::from(query.limit))
}

fn meeting(filter: &AuditFilter) -> Condition {
    let caller = filter.caller.as_ref().map(CallerName::as_str);
    let keys = filter.keys.iter().map(LinkKey::to_string);
    let of_link = (!filter.keys.is_empty()).then(|| Column::Slug.is_in(keys));
    let operation = filter.operation.map(AuditedOperation::as_str);
    Condition::all()
        .add_option(filter.from.map(|from| Column::At.gte(from.get())))
        .add_option(filter.until.map(|until| Column::At.lt(until.get())))
        .add_option(of_link)
        .add_option(filter.domain.as_ref().map(in_domain))
        .add_option(caller.map(|caller| Column::Caller.eq(caller)))
        .add_option(operation.map(|operation| Column::Operation.eq(operation)))
}

/// Lines about a domain and its links. The text of a key has a slash behind a host alone, and a line
/// about a domain has the same text without a slug.
fn in_domain(domain: &DomainName) -> Condition {
    match domain.host() {
        Some(host) => Condition::all().add(Column::Slug.starts_with(format!("{host}/"))),
        None => Condition::all()
            .add(Column::Slug.is_not_null())
            .add(Column::Slug.not_like("%/%")),
    }
}

/// The first condition repeats what the second one implies, because only the first tells the
/// planner where to start in the index.
fn after(position: &AuditPosition) -> Condition {
    let at = position.at.get();
    let earlier = Condition::any()
        .add(Column::At.lt(at))
        .add(Column::Number.lt(position.number));
    Condition::all().add(Column::At.lte(at)).add(earlier)
}

/// Selects the numbers of the lines to remove. Two nodes select different ones. SQLite has
/// one writer and ignores the lock.
fn oldest(moment: UnixMillis, limit: u32) -> Select<audit::Entity> {
    audit::Entity::find()
        .select_only()
        .column(Column::Number)
        .filter(Column::At.lt(moment.get()))
        .order_by(Column::At, Order::Asc)
        .limit(u64::from(limit))
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
}

#[cfg(test)]
mod tests {
    use sea_orm::{DbBackend, QueryTrait};
    use slugline_testkit::{NOON, key, with};

    use super::*;
    use crate::links::plans::{Schema, begins};

    fn newest(filter: AuditFilter) -> AuditQuery {
        AuditQuery {
            filter,
            after: Some(AuditPosition {
                at: NOON.start(),
                number: 7,
            }),
            limit: 20,
        }
    }

    #[tokio::test]
    async fn a_page_is_read_along_an_index() {
        let schema = Schema::new().await;
        let plan = |filter| schema.plan(&select(&newest(filter)).build(DbBackend::Sqlite));
        let all = plan(AuditFilter::default());
        begins(&all, "SEARCH audit_trail USING INDEX audit_trail_at (at<?");
        assert!(!all.contains("TEMP B-TREE"), "{all}");
        let of_link = plan(with(AuditFilter::default(), |it| {
            it.keys = vec![key("docs")];
        }));
        begins(
            &of_link,
            "SEARCH audit_trail USING INDEX audit_trail_slug (slug=?",
        );
    }

    #[tokio::test]
    async fn old_lines_are_found_along_an_index() {
        let select = oldest(NOON.start(), 20).build(DbBackend::Sqlite);
        let expected = "SEARCH audit_trail USING COVERING INDEX audit_trail_at (at<?)";
        assert_eq!(Schema::new().await.plan(&select), expected);
    }
}
