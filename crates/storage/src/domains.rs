//! Named domains.

use async_trait::async_trait;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, OnConflict},
};
use slugline_domain::{
    AuditNote, Domain, DomainName, Host, Keeping, LinkKey, LinkKeyError, Slug,
    ports::{DomainRemoval, DomainStore, Hearing, LinkMove, StoreError},
};

use crate::{
    audit_lines::{write_domain_line, write_lines},
    database::Database,
    entity::{
        domain::{Column, Entity, to_row},
        link,
    },
    failure::Failure,
    former_versions::{End::Edit, keep},
    links::conditions::{has_any, is_there},
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
        let (domain, note) = (domain.clone(), note.clone());
        let insert = async move |session: &Session<'_>| {
            let row = to_row(&domain, note.at.second().get()).into_active_model();
            let insert = Entity::insert(row).on_conflict(OnConflict::new().do_nothing().to_owned());
            let is_new = session.execute(&insert).await? > 0;
            if is_new {
                write_domain_line(session, &note, &domain.host).await?;
            }
            Ok(Commit(is_new))
        };
        let inserted = self.database.change("store a domain", insert).await;
        // It may have been committed even if the answer got lost; so may the others.
        self.database.domains_changed();
        inserted
    }

    /// Replaces all but the host and the moment at which it was named.
    async fn update(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let (domain, note) = (domain.clone(), note.clone());
        let replace = async move |session: &Session<'_>| {
            let mut row = to_row(&domain, 0).into_active_model().reset_all();
            row.not_set(Column::CreatedAt);
            row.not_set(Column::Host);
            let replace = Entity::update_many()
                .set(row)
                .filter(Column::Host.eq(domain.host.as_str()));
            let is_named = session.execute(&replace).await? > 0;
            if is_named {
                write_domain_line(session, &note, &domain.host).await?;
            }
            Ok(Commit(is_named))
        };
        let replaced = self.database.change("change a domain", replace).await;
        self.database.domains_changed();
        replaced
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
            write_domain_line(session, &note, &host).await?;
            Ok(Commit(DomainRemoval::Removed))
        };
        let removed = self.database.change("remove a domain", remove).await;
        self.database.domains_changed();
        removed
    }

    async fn move_links(
        &self,
        links: &[LinkKey],
        to: &DomainName,
        note: &AuditNote,
    ) -> Result<LinkMove, StoreError> {
        let links = links.iter().filter(|key| key.domain != *to).cloned();
        let links: Vec<LinkKey> = links.collect();
        let (to, note, keeping) = (to.clone(), note.clone(), self.keeping);
        let move_links = async move |session: &Session<'_>| {
            if !is_there(session, &to).await? {
                return Ok(Commit(LinkMove::NoDomain));
            }
            for keys in links.chunks(KEYS) {
                let moved = stored(session, keys).await?;
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
        self.database.hearing_of_domains()
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
        .filter(has_any(keys))
        .lock(LockType::Update);
    let rows = session.all::<(i64, (String, String))>(&select).await?;
    let moved = rows.into_iter().map(|(number, (domain, slug))| {
        let domain = DomainName::parse(&domain)?;
        let slug = Slug::parse(&slug).map_err(LinkKeyError::Slug)?;
        let key = LinkKey::new(domain, slug);
        Ok(Moved { number, key })
    });
    moved.collect()
}
