//! Naming hosts, and their records.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::OnConflict,
};
use slugline_domain::{AuditNote, Domain};

use crate::{
    audit_lines::write_domain_line,
    entity::domain::{Column, Entity, to_row},
    failure::Failure,
    session::{Applied, Mutation, Read, Session},
};

pub(super) struct List;

impl Read for List {
    type Answer = Vec<Domain>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<Domain>, Failure> {
        let columns = [
            Column::Host,
            Column::HomeUrl,
            Column::NotFoundUrl,
            Column::ExpiredUrl,
            Column::CaseSensitive,
            Column::FallThrough,
        ];
        let select = Entity::find().select_only().columns(columns);
        let mut domains = session.all::<Domain>(&select).await?;
        // Databases differ in the order of texts.
        domains.sort_by(|one, other| one.host.cmp(&other.host));
        Ok(domains)
    }
}

pub(super) struct Insert(pub(super) Domain, pub(super) AuditNote);

impl Mutation for Insert {
    type Answer = bool;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        let Self(domain, note) = self;
        let row = to_row(domain, note.at.second().get()).into_active_model();
        let insert = Entity::insert(row).on_conflict(OnConflict::new().do_nothing().to_owned());
        let is_new = session.execute(&insert).await? > 0;
        if is_new {
            write_domain_line(session, note, &domain.host).await?;
        }
        Ok(Applied::Commit(is_new))
    }
}

/// Replaces all but the host and the moment at which it was named.
pub(super) struct Replace(pub(super) Domain, pub(super) AuditNote);

impl Mutation for Replace {
    type Answer = bool;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        let Self(domain, note) = self;
        let mut row = to_row(domain, 0).into_active_model().reset_all();
        row.not_set(Column::CreatedAt);
        row.not_set(Column::Host);
        let replace = Entity::update_many()
            .set(row)
            .filter(Column::Host.eq(domain.host.as_str()));
        let is_named = session.execute(&replace).await? > 0;
        if is_named {
            write_domain_line(session, note, &domain.host).await?;
        }
        Ok(Applied::Commit(is_named))
    }
}
