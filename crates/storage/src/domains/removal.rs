//! Taking a domain away.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::LockType};
use slugline_domain::{AuditNote, Host, ports::DomainRemoval};

use crate::{
    audit_lines::write_domain_line,
    entity::{
        domain::{Column, Entity},
        link,
    },
    failure::Failure,
    session::{Applied, Mutation, Session},
};

pub(super) struct Remove(pub(super) Host, pub(super) AuditNote);

impl Mutation for Remove {
    type Answer = DomainRemoval;

    /// On PostgreSQL whoever stores a link holds a lock on the row of its domain. So the first
    /// statement waits for links under way, the second one sees them, and later ones find no
    /// domain. SQLite has one writer, and no locks of rows.
    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<DomainRemoval>, Failure> {
        let Self(host, note) = self;
        let row = Entity::find()
            .select_only()
            .column(Column::Host)
            .filter(Column::Host.eq(host.as_str()))
            .lock(LockType::Update);
        if session.first::<String>(&row).await?.is_none() {
            return Ok(Applied::Commit(DomainRemoval::NoDomain));
        }
        let link = link::Entity::find()
            .select_only()
            .column(link::Column::Number)
            .filter(link::Column::Domain.eq(host.as_str()))
            .limit(1);
        if session.first::<i64>(&link).await?.is_some() {
            return Ok(Applied::Commit(DomainRemoval::HasLinks));
        }
        let remove = Entity::delete_many().filter(Column::Host.eq(host.as_str()));
        session.execute(&remove).await?;
        write_domain_line(session, note, host).await?;
        Ok(Applied::Commit(DomainRemoval::Removed))
    }
}
