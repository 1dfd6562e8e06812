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
    session::{Applied, Mutation, Session},
};

pub(super) struct PurgeLink {
    pub(super) id: LinkId,
    pub(super) known: Option<Version>,
    pub(super) note: AuditNote,
}

impl Mutation for PurgeLink {
    type Answer = Purge;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Purge>, Failure> {
        let link = self.find(session, Some(LockType::Update)).await?;
        let versions = newest_first(&self.id).lock(LockType::Update).take();
        let versions = session.backend().build(&versions);
        let versions = session.rows::<FormerVersion>(versions).await?;
        // Somebody may have brought it back before its versions were locked. Others lock a link
        // before its versions, so to lock it now could be a deadlock.
        if link.is_none() && self.find(session, None).await?.is_some() {
            return Ok(Applied::Commit(Purge::Outdated));
        }
        if let Some(known) = &self.known
            && link.as_ref().map(Version::of).as_ref() != Some(known)
        {
            return Ok(Applied::Commit(Purge::Outdated));
        }
        if link.is_some() {
            let of_link = Column::Id.eq(self.id.as_str());
            let delete = link::Entity::delete_many().filter(of_link);
            session.execute(&delete).await?;
        }
        let last = versions.into_iter().next().map(|version| version.link);
        let Some(latest) = link.or(last) else {
            return Ok(Applied::Commit(Purge::Nothing));
        };
        let forget = Query::delete()
            .from_table(version::TABLE)
            .and_where(version::is_of(&self.id))
            .take();
        session.run(session.backend().build(&forget)).await?;
        write_line(session, &self.note, &latest.key).await?;
        Ok(Applied::Commit(Purge::Purged(latest.key)))
    }
}

impl PurgeLink {
    /// The link. Nobody else changes a locked one until the transaction ends.
    async fn find(
        &self,
        session: &impl Session,
        lock: Option<LockType>,
    ) -> Result<Option<Link>, Failure> {
        let mut select = link::select().filter(Column::Id.eq(self.id.as_str()));
        if let Some(lock) = lock {
            select = select.lock(lock);
        }
        let row = session.first::<link::Model>(&select).await?;
        Ok(row.map(link::to_link).transpose()?)
    }
}
