//! Storing a deleted link again.

use sea_orm::{DbBackend, Statement};
use slugline_domain::{Ending, Revision, ports::Insertion};

use crate::{
    failure::Failure,
    links::insert::InsertLink,
    session::{Applied, Mutation, Session},
};

/// Inserts a link that is in the trash, with this revision as its last. The last version is from
/// then on one that ended when the link was brought back.
pub(super) struct BringBack {
    pub(super) insert: InsertLink,
    pub(super) last: Revision,
}

impl Mutation for BringBack {
    type Answer = Option<Insertion>;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Self::Answer>, Failure> {
        if session.run(self.take_out(session.backend())).await? == 0 {
            return Ok(Applied::Commit(None));
        }
        Ok(match self.insert.apply(session).await? {
            Applied::Commit(Insertion::Stored) => Applied::Commit(Some(Insertion::Stored)),
            Applied::Commit(refused) | Applied::Rollback(refused) => {
                Applied::Rollback(Some(refused))
            }
        })
    }
}

impl BringBack {
    /// Of two callers who bring the same link back, the second one changes no row.
    fn take_out(&self, backend: DbBackend) -> Statement {
        let take_out = if backend == DbBackend::Sqlite {
            "UPDATE link_versions SET deleted_at = NULL, ended_at = ?, ended_by = ?, operation = ? \
             WHERE id = ? AND revision = ? AND deleted_at IS NOT NULL \
             AND number = (SELECT max(number) FROM link_versions WHERE id = ?)"
        } else {
            "UPDATE link_versions SET deleted_at = NULL, ended_at = $1, ended_by = $2, \
             operation = $3 WHERE id = $4 AND revision = $5 AND deleted_at IS NOT NULL \
             AND number = (SELECT max(number) FROM link_versions WHERE id = $6)"
        };
        let end = Ending::by(&self.insert.note);
        let id = self.insert.link.id.as_str();
        let values = [
            end.at.get().into(),
            end.by.as_str().into(),
            end.operation.into(),
            id.into(),
            self.last.get().into(),
            id.into(),
        ];
        Statement::from_sql_and_values(backend, take_out, values)
    }
}
