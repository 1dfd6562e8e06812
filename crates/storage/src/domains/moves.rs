//! Moving links to another domain.

use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType},
};
use slugline_domain::{AuditNote, DomainName, Keeping, LinkKey, Slug, ports::LinkMove};

use crate::{
    audit_lines::write_lines,
    entity::link::{Column, Entity},
    failure::Failure,
    former_versions::{End::Edit, keep},
    links::keys::{has_any, is_there},
    session::{Applied, Columns, Mutation, Row, Session},
};

/// The most keys in a statement. Each binds two values.
const KEYS: usize = 1_000;

/// The most values bound in a statement that writes lines of the audit trail.
const BINDINGS: usize = 10_000;

pub(super) struct MoveLinks {
    pub(super) links: Vec<LinkKey>,
    pub(super) to: DomainName,
    pub(super) note: AuditNote,
    pub(super) keeping: Keeping,
}

/// A link that is to be moved.
struct Moved {
    number: i64,
    key: LinkKey,
}

impl Row for Moved {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        let domain = DomainName::parse(&columns.text(1)?)?;
        let slug = Slug::parse(&columns.text(2)?).map_err(slugline_domain::LinkKeyError::Slug)?;
        Ok(Self {
            number: columns.number(0)?,
            key: LinkKey::new(domain, slug),
        })
    }
}

impl Mutation for MoveLinks {
    type Answer = LinkMove;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<LinkMove>, Failure> {
        let Self {
            links, to, note, ..
        } = self;
        if !is_there(session, to).await? {
            return Ok(Applied::Commit(LinkMove::NoDomain));
        }
        let links: Vec<&LinkKey> = links.iter().filter(|key| key.domain != *to).collect();
        for keys in links.chunks(KEYS) {
            let moved = stored(session, keys.iter().copied()).await?;
            if moved.is_empty() {
                continue;
            }
            let within = |link: &Moved| LinkKey::new(to.clone(), link.key.slug.clone());
            let later: Vec<LinkKey> = moved.iter().map(within).collect();
            if !stored(session, &later).await?.is_empty() {
                return Ok(Applied::Rollback(LinkMove::Taken));
            }
            self.move_rows(session, &moved).await?;
            let former = moved.iter().map(|link| &link.key);
            let both: Vec<&LinkKey> = former.chain(&later).collect();
            write_lines(session, note, &both, BINDINGS).await?;
        }
        Ok(Applied::Commit(LinkMove::Moved))
    }
}

impl MoveLinks {
    /// If another writer has taken a slug since this transaction looked, the unique index fails the
    /// statement, and the whole change with it.
    async fn move_rows(&self, session: &impl Session, moved: &[Moved]) -> Result<(), Failure> {
        let numbers = moved.iter().map(|link| link.number);
        let these = Condition::all().add(Column::Number.is_in(numbers));
        keep(session, self.keeping, Edit, &self.note, these.clone()).await?;
        let update = Entity::update_many()
            .col_expr(Column::Domain, Expr::value(self.to.as_str()))
            .col_expr(Column::Revision, Expr::col(Column::Revision).add(1))
            .col_expr(Column::UpdatedAt, Expr::value(self.note.at.second().get()))
            .filter(these);
        session.execute(&update).await?;
        Ok(())
    }
}

/// The links with these keys. Nobody else changes them until the transaction ends.
async fn stored<'k>(
    session: &impl Session,
    keys: impl IntoIterator<Item = &'k LinkKey>,
) -> Result<Vec<Moved>, Failure> {
    let select = Entity::find()
        .select_only()
        .column(Column::Number)
        .column(Column::Domain)
        .column(Column::Slug)
        .filter(has_any(keys))
        .lock(LockType::Update);
    session.all::<Moved>(&select).await
}
