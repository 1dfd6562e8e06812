//! Named domains.

use std::collections::HashMap;

use async_trait::async_trait;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, LockType, OnConflict},
};
use slugline_domain::{
    AuditNote, Domain, DomainName, Host, Keeping, Link, LinkId, LinkKey, LinkKeyError, Revision,
    Slug,
    ports::{DomainRemoval, DomainStore, Hearing, LinkMove, StoreError, Version},
};

use crate::{
    audit_lines::{write, write_lines},
    database::Database,
    entity::{
        audit,
        domain::{Column, Entity, to_row},
        link,
    },
    failure::Failure,
    former_versions::{End::Edit, keep},
    links::conditions::{has_any, is_there},
    listening::Subject,
    row::{Columns, Row},
    session::{
        Applied::{Commit, Rollback},
        Session,
    },
};

/// Named domains, beside the links of a database.
#[derive(Clone, Debug)]
pub struct SqlDomainStore {
    pub(crate) database: Database,
    pub(crate) keeping: Keeping,
}

impl SqlDomainStore {
    /// Writes a row, and its line in the audit trail. Returns whether there was a row to write.
    async fn write(
        &self,
        action: &'static str,
        row: impl QueryTrait + Send + Sync + 'static,
        line: audit::ActiveModel,
    ) -> Result<bool, StoreError> {
        let change = async move |session: &Session<'_>| {
            let is_written = session.execute(&row).await? > 0;
            if is_written {
                write(session, line.clone()).await?;
            }
            Ok(Commit(is_written))
        };
        let written = self.database.change(action, change).await;
        // It may have been committed even if the answer got lost.
        self.database.changed(Subject::Domains);
        written
    }
}

#[async_trait]
impl DomainStore for SqlDomainStore {
    async fn list(&self) -> Result<Vec<Domain>, StoreError> {
        let listed = self.database.rows("list domains", Entity::find()).await;
        let mut domains: Vec<Domain> = listed?;
        // Databases differ in the order of texts.
        domains.sort_by(|one, other| one.host.cmp(&other.host));
        Ok(domains)
    }

    async fn insert(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let row = to_row(domain, note.at.second().get()).into_active_model();
        let insert = Entity::insert(row).on_conflict(OnConflict::new().do_nothing().to_owned());
        let line = audit::of_domain(note, &domain.host);
        self.write("store a domain", insert, line).await
    }

    /// Replaces all but the host and the moment at which it was named.
    async fn update(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let mut row = to_row(domain, 0).into_active_model().reset_all();
        row.not_set(Column::CreatedAt);
        row.not_set(Column::Host);
        let replace = Entity::update_many()
            .set(row)
            .filter(Column::Host.eq(domain.host.as_str()));
        let line = audit::of_domain(note, &domain.host);
        self.write("change a domain", replace, line).await
    }

    /// On PostgreSQL a change that stores a link holds a lock on the row of its domain. So the
    /// first statement waits for links under way, the second one sees them, and later ones find no
    /// domain. SQLite has one writer, and no locks of rows.
    async fn remove(&self, host: &Host, note: &AuditNote) -> Result<DomainRemoval, StoreError> {
        let (host, note) = (host.clone(), note.clone());
        let remove = async move |session: &Session<'_>| {
            let row = Entity::find()
                .select_only()
                .column(Column::Host)
                .filter(Column::Host.eq(host.as_str()))
                .lock(LockType::Update);
            if session.first::<String>(&row).await?.is_none() {
                return Ok(Commit(DomainRemoval::NoDomain));
            }
            let link = link::Entity::find()
                .select_only()
                .column(link::Column::Number)
                .filter(link::Column::Domain.eq(host.as_str()))
                .limit(1);
            if session.first::<i64>(&link).await?.is_some() {
                return Ok(Commit(DomainRemoval::HasLinks));
            }
            let remove = Entity::delete_many().filter(Column::Host.eq(host.as_str()));
            session.execute(&remove).await?;
            write(session, audit::of_domain(&note, &host)).await?;
            Ok(Commit(DomainRemoval::Removed))
        };
        let removed = self.database.change("remove a domain", remove).await;
        // It may have been committed even if the answer got lost.
        self.database.changed(Subject::Domains);
        removed
    }

    async fn move_links(
        &self,
        links: &[Link],
        to: &DomainName,
        note: &AuditNote,
    ) -> Result<LinkMove, StoreError> {
        let links = links.iter().filter(|link| link.key.domain != *to);
        let links = links.map(|link| (link.key.clone(), Version::of(link)));
        let links: Vec<(LinkKey, Version)> = links.collect();
        let (to, note, keeping) = (to.clone(), note.clone(), self.keeping);
        let move_links = async move |session: &Session<'_>| {
            if !is_there(session, &to).await? {
                return Ok(Commit(LinkMove::NoDomain));
            }
            for some in links.chunks(KEYS) {
                let known: HashMap<_, _> = some.iter().map(|(key, known)| (key, known)).collect();
                let moved = stored(session, known.keys().copied()).await?;
                if moved.iter().any(|link| known[&link.key] != &link.version) {
                    return Ok(Rollback(LinkMove::Outdated));
                }
                if moved.is_empty() {
                    continue;
                }
                let within = |link: &Moved| LinkKey::new(to.clone(), link.key.slug.clone());
                let later: Vec<LinkKey> = moved.iter().map(within).collect();
                if !stored(session, &later).await?.is_empty() {
                    return Ok(Rollback(LinkMove::Taken));
                }
                move_rows(session, &moved, &to, &note, keeping).await?;
                let former = moved.iter().map(|link| &link.key);
                let both: Vec<&LinkKey> = former.chain(&later).collect();
                write_lines(session, &note, &both, BINDINGS).await?;
            }
            Ok(Commit(LinkMove::Moved))
        };
        let action = "move links to another domain";
        self.database.change(action, move_links).await
    }

    fn hearing(&self) -> Hearing {
        self.database.hearing_of(Subject::Domains)
    }
}

/// The most keys in a statement. Each binds two values.
const KEYS: usize = 1_000;

/// The most values bound in a statement that writes lines of the audit trail.
const BINDINGS: usize = 10_000;

/// A link that is to be moved.
struct Moved {
    number: i64,
    key: LinkKey,
    version: Version,
}

impl Row for Moved {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let number = columns.next()?;
        let domain = DomainName::parse(&columns.next::<String>()?)?;
        let slug = Slug::parse(&columns.next::<String>()?).map_err(LinkKeyError::Slug)?;
        let version = Version {
            id: LinkId::read(columns)?,
            revision: Revision::new(columns.next()?),
        };
        let key = LinkKey::new(domain, slug);
        Ok(Self {
            number,
            key,
            version,
        })
    }
}

/// If another writer has taken a slug since this transaction looked, the unique index fails the
/// statement, and the whole change with it.
async fn move_rows(
    session: &Session<'_>,
    moved: &[Moved],
    to: &DomainName,
    note: &AuditNote,
    keeping: Keeping,
) -> Result<(), Failure> {
    use link::Column;

    let numbers = moved.iter().map(|link| link.number);
    let these = Condition::all().add(Column::Number.is_in(numbers));
    keep(session, keeping, Edit, note, these.clone()).await?;
    let update = link::Entity::update_many()
        .col_expr(Column::Domain, Expr::value(to.as_str()))
        .col_expr(Column::Revision, Expr::col(Column::Revision).add(1))
        .col_expr(Column::UpdatedAt, Expr::value(note.at.second().get()))
        .filter(these);
    session.execute(&update).await?;
    Ok(())
}

/// The links with these keys. No other transaction changes them until the transaction ends.
async fn stored<'k>(
    session: &Session<'_>,
    keys: impl IntoIterator<Item = &'k LinkKey>,
) -> Result<Vec<Moved>, Failure> {
    use link::Column;

    let select = link::Entity::find()
        .select_only()
        .column(Column::Number)
        .column(Column::Domain)
        .column(Column::Slug)
        .column(Column::Id)
        .column(Column::Revision)
        .filter(has_any(keys))
        .lock(LockType::Update);
    session.all(&select).await
}
