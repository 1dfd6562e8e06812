//! Erasing a link with its versions.

use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{LockType, Query},
};
use slugline_domain::{AuditNote, FormerVersion, Link, LinkId, Purge, ports::Version};

use super::reads::newest_first;
use crate::{
    audit_lines::write_line,
    entity::{
        link::{self, Column},
        version,
    },
    failure::Failure,
    session::{Applied, Change, Session},
};

pub(super) struct PurgeLink {
    pub(super) id: LinkId,
    pub(super) known: Option<Version>,
    pub(super) note: AuditNote,
}

impl Change for PurgeLink {
    type Answer = Purge;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Purge>, Failure> {
        let mut link = self.locked(session).await?;
        let versions = newest_first(&self.id).lock(LockType::Update).take();
        let versions = session.backend().build(&versions);
        let versions = session.rows::<FormerVersion>(versions).await?;
        if link.is_none() {
            // Somebody may have brought it back before its versions were locked.
            link = self.locked(session).await?;
        }
        if let Some(known) = &self.known
            && link.as_ref().map(Version::of).as_ref() != Some(known)
        {
            return Ok(Applied::Keep(Purge::Outdated));
        }
        let last = versions.into_iter().next().map(|version| version.link);
        let Some(latest) = link.or(last) else {
            return Ok(Applied::Keep(Purge::Nothing));
        };
        let of_link = Column::Id.eq(self.id.as_str());
        let delete = link::Entity::delete_many().filter(of_link);
        session.execute(&delete).await?;
        let forget = Query::delete()
            .from_table(version::TABLE)
            .and_where(version::is_of(&self.id))
            .take();
        session.run(session.backend().build(&forget)).await?;
        write_line(session, &self.note, &latest.key).await?;
        Ok(Applied::Keep(Purge::Purged(latest.key)))
    }
}

impl PurgeLink {
    /// The link, which nobody else changes until the transaction ends.
    async fn locked(&self, session: &impl Session) -> Result<Option<Link>, Failure> {
        let select = link::select()
            .filter(Column::Id.eq(self.id.as_str()))
            .lock(LockType::Update);
        let row = session.first::<link::Model>(&select).await?;
        Ok(row.map(link::to_link).transpose()?)
    }
}
