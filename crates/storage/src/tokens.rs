//! Named tokens.

use async_trait::async_trait;
use sea_orm::{
    ColumnTrait, EntityTrait, IntoActiveModel, JoinType, QueryFilter, QuerySelect, QueryTrait,
    Select,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use slugline_domain::{
    AuditNote, Binding, Reach, Scope, Scopes, TokenName, TokenRecord, UnixSeconds,
    assistants::{Assistant, ClientName},
    ports::{Hearing, StoreError, TokenStore},
};

use crate::{
    audit_lines::write_token_line,
    database::Database,
    entity::{
        assistant::connection,
        binding_text,
        token::{Column, Entity, Model},
        token_binding,
    },
    failure::{Failure, failing_to},
    hexadecimal::{from_hexadecimal, hexadecimal},
    session::{Applied, Columns, Mutation, Read, Row, Session},
};

/// Named tokens, beside the links of a database.
#[derive(Clone, Debug)]
pub struct SqlTokenStore {
    pub(crate) database: Database,
}

#[async_trait]
impl TokenStore for SqlTokenStore {
    async fn insert(&self, token: &TokenRecord, note: &AuditNote) -> Result<bool, StoreError> {
        let insert = Insert(token.clone(), note.clone());
        let inserted = self.database.change(insert).await;
        inserted.map_err(failing_to("store a token"))
    }

    async fn list(&self) -> Result<Vec<TokenRecord>, StoreError> {
        let listed = self.database.read(List).await;
        listed.map_err(failing_to("list tokens"))
    }

    async fn revoke(&self, name: &TokenName, note: &AuditNote) -> Result<bool, StoreError> {
        let revoke = Revoke(name.clone(), note.clone());
        let revoked = self.database.change(revoke).await;
        // It may have been committed even if the answer got lost.
        self.database.tokens_changed();
        revoked.map_err(failing_to("revoke a token"))
    }

    async fn find(&self, digest: &[u8; 32]) -> Result<Option<TokenRecord>, StoreError> {
        let found = self.database.read_at_once(Find(hexadecimal(digest))).await;
        found.map_err(failing_to("find a token"))
    }

    async fn touch(&self, name: &TokenName, at: UnixSeconds) -> Result<(), StoreError> {
        let name = name.clone();
        let touched = self.database.change(Touch { name, at }).await;
        touched.map_err(failing_to("note the use of a token"))
    }

    fn hearing(&self) -> Hearing {
        self.database.hearing_of_tokens()
    }
}

struct Insert(TokenRecord, AuditNote);

impl Mutation for Insert {
    type Answer = bool;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        let Self(token, note) = self;
        let inserted = insert_token(session, token, note).await?;
        Ok(Applied::Commit(inserted))
    }
}

/// Stores a token, its binding and its line. Returns false if its name or its digest is taken.
pub(crate) async fn insert_token(
    session: &impl Session,
    token: &TokenRecord,
    note: &AuditNote,
) -> Result<bool, Failure> {
    let row = Model {
        name: token.name.to_string(),
        digest: hexadecimal(&token.digest),
        scopes: write_scopes(&token.scopes),
        expires_at: token.expires_at.map(UnixSeconds::get),
        created_at: token.created_at.get(),
        last_used_at: token.last_used_at.map(UnixSeconds::get),
    };
    let insert = Entity::insert(row.into_active_model())
        .on_conflict(OnConflict::new().do_nothing().to_owned());
    if session.execute(&insert).await? == 0 {
        return Ok(false);
    }
    if let Some(binding) = token.reach.binding() {
        let row = to_binding_row(&token.digest, binding).into_active_model();
        session.execute(&token_binding::Entity::insert(row)).await?;
    }
    write_token_line(session, note, &token.name).await?;
    Ok(true)
}

struct List;

impl Read for List {
    type Answer = Vec<TokenRecord>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<TokenRecord>, Failure> {
        let mut tokens = session.all::<TokenRecord>(&whole()).await?;
        // Databases differ in the order of texts.
        tokens.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(tokens)
    }
}

struct Revoke(TokenName, AuditNote);

impl Mutation for Revoke {
    type Answer = bool;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        let Self(name, note) = self;
        let digest = Entity::find()
            .select_only()
            .column(Column::Digest)
            .filter(Column::Name.eq(name.as_str()));
        let disconnect = connection::Entity::delete_many()
            .filter(connection::Column::Digest.in_subquery(digest.clone().into_query()));
        session.execute(&disconnect).await?;
        let unbind = token_binding::Entity::delete_many()
            .filter(token_binding::Column::Digest.in_subquery(digest.into_query()));
        session.execute(&unbind).await?;
        let delete = Entity::delete_many().filter(Column::Name.eq(name.as_str()));
        let revoked = session.execute(&delete).await? > 0;
        if revoked {
            write_token_line(session, note, name).await?;
        }
        Ok(Applied::Commit(revoked))
    }
}

/// By the digest in hexadecimal.
struct Find(String);

impl Read for Find {
    type Answer = Option<TokenRecord>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<TokenRecord>, Failure> {
        let select = whole().filter(Column::Digest.eq(self.0.as_str()));
        session.first(&select).await
    }
}

struct Touch {
    name: TokenName,
    at: UnixSeconds,
}

impl Mutation for Touch {
    type Answer = ();

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<()>, Failure> {
        let earlier = Column::LastUsedAt
            .is_null()
            .or(Column::LastUsedAt.lt(self.at.get()));
        let update = Entity::update_many()
            .col_expr(Column::LastUsedAt, Expr::value(self.at.get()))
            .filter(Column::Name.eq(self.name.as_str()))
            .filter(earlier);
        session.execute(&update).await?;
        Ok(Applied::Commit(()))
    }
}

fn to_binding_row(digest: &[u8; 32], binding: &Binding) -> token_binding::Model {
    let texts = binding_text::write(binding);
    token_binding::Model {
        digest: hexadecimal(digest),
        link_ids: texts.link_ids,
        tags: texts.tags,
        domains: texts.domains,
    }
}

/// Tokens, each with its binding and its assistant, if it has any.
fn whole() -> Select<Entity> {
    let binding = Entity::belongs_to(token_binding::Entity)
        .from(Column::Digest)
        .to(token_binding::Column::Digest);
    let connection = Entity::belongs_to(connection::Entity)
        .from(Column::Digest)
        .to(connection::Column::Digest);
    Entity::find()
        .join(JoinType::LeftJoin, binding.into())
        .join(JoinType::LeftJoin, connection.into())
        .column(token_binding::Column::LinkIds)
        .column(token_binding::Column::Tags)
        .column(token_binding::Column::Domains)
        .column(connection::Column::ClientName)
        .column(connection::Column::ClientHost)
        .column(connection::Column::Resource)
        .column(connection::Column::EndsAt)
}

impl Row for TokenRecord {
    /// Reads a row of [`whole`].
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        let moment = |seconds: i64| UnixSeconds::new(seconds).map_err(|_| Failure::BadToken);
        let row = Model::read(columns)?;
        let reach = match columns.optional_text(6)? {
            None => Reach::Everything,
            Some(link_ids) => {
                let binding = binding_text::read(&link_ids, &columns.text(7)?, &columns.text(8)?);
                Reach::bound(binding.ok_or(Failure::BadToken)?)
            }
        };
        let assistant = match columns.optional_text(9)? {
            None => None,
            Some(name) => Some(Assistant {
                name: ClientName::parse(&name).map_err(|_| Failure::BadAssistant)?,
                host: columns.text(10)?.into(),
                resource: columns.text(11)?.into(),
                ends_at: UnixSeconds::new(columns.number(12)?)
                    .map_err(|_| Failure::BadAssistant)?,
            }),
        };
        Ok(Self {
            name: TokenName::restore(&row.name).map_err(|_| Failure::BadToken)?,
            digest: from_hexadecimal(&row.digest).ok_or(Failure::BadToken)?,
            scopes: read_scopes(&row.scopes)?,
            reach,
            expires_at: row.expires_at.map(moment).transpose()?,
            created_at: moment(row.created_at)?,
            last_used_at: row.last_used_at.map(moment).transpose()?,
            assistant,
        })
    }
}

/// The scopes of a token in one text.
pub(crate) fn write_scopes(scopes: &Scopes) -> String {
    let scopes: Vec<&str> = scopes.iter().map(Scope::as_str).collect();
    scopes.join(" ")
}

pub(crate) fn read_scopes(text: &str) -> Result<Scopes, Failure> {
    let scopes = text.split_ascii_whitespace().map(Scope::parse);
    let scopes = scopes.collect::<Result<Vec<_>, _>>().and_then(Scopes::new);
    scopes.map_err(|_| Failure::BadToken)
}
