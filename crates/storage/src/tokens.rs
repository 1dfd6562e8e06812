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
    audit_lines::write,
    database::Database,
    entity::{
        assistant::connection,
        audit, binding_text,
        token::{Column, Entity, Model},
        token_binding,
    },
    failure::Failure,
    hexadecimal::{from_hexadecimal, hexadecimal},
    listening::Subject,
    row::{Columns, Row},
    session::{Applied::Commit, Session},
};

/// Named tokens, beside the links of a database.
#[derive(Clone, Debug)]
pub struct SqlTokenStore {
    pub(crate) database: Database,
}

#[async_trait]
impl TokenStore for SqlTokenStore {
    async fn insert(&self, token: &TokenRecord, note: &AuditNote) -> Result<bool, StoreError> {
        let (token, note) = (token.clone(), note.clone());
        let insert = async move |session: &Session<'_>| {
            Ok(Commit(insert_token(session, &token, &note).await?))
        };
        self.database.change("store a token", insert).await
    }

    async fn list(&self) -> Result<Vec<TokenRecord>, StoreError> {
        let listed = self.database.rows("list tokens", whole()).await;
        let mut tokens: Vec<TokenRecord> = listed?;
        // Databases differ in the order of texts.
        tokens.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(tokens)
    }

    async fn revoke(&self, name: &TokenName, note: &AuditNote) -> Result<bool, StoreError> {
        let (name, note) = (name.clone(), note.clone());
        let revoke = async move |session: &Session<'_>| {
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
                write(session, audit::of_token(&note, &name)).await?;
            }
            Ok(Commit(revoked))
        };
        let revoked = self.database.change("revoke a token", revoke).await;
        // It may have been committed even if the answer got lost.
        self.database.changed(Subject::Tokens);
        revoked
    }

    async fn find(&self, digest: &[u8; 32]) -> Result<Option<TokenRecord>, StoreError> {
        let select = whole().filter(Column::Digest.eq(hexadecimal(digest)));
        let find = async move |session: &Session<'_>| session.first(&select).await;
        self.database.read_at_once("find a token", find).await
    }

    async fn touch(&self, name: &TokenName, at: UnixSeconds) -> Result<(), StoreError> {
        let earlier = Column::LastUsedAt
            .is_null()
            .or(Column::LastUsedAt.lt(at.get()));
        let touch = Entity::update_many()
            .col_expr(Column::LastUsedAt, Expr::value(at.get()))
            .filter(Column::Name.eq(name.as_str()))
            .filter(earlier);
        let touched = self.database.execute("note the use of a token", touch);
        touched.await.map(drop)
    }

    fn hearing(&self) -> Hearing {
        self.database.hearing_of(Subject::Tokens)
    }
}

/// Stores a token, its binding and its line. Returns false if its name or its digest is taken.
pub(crate) async fn insert_token(
    session: &Session<'_>,
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
    write(session, audit::of_token(note, &token.name)).await?;
    Ok(true)
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
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let moment = |seconds: i64| UnixSeconds::new(seconds).map_err(|_| Failure::BadToken);
        let row = Model::read(columns)?;
        let of_binding: [Option<String>; 3] = [columns.next()?, columns.next()?, columns.next()?];
        let reach = if let [Some(link_ids), Some(tags), Some(domains)] = &of_binding {
            let binding = binding_text::read(link_ids, tags, domains);
            Reach::bound(binding.ok_or(Failure::BadToken)?)
        } else {
            Reach::Everything
        };
        let of_assistant: [Option<String>; 3] = [columns.next()?, columns.next()?, columns.next()?];
        let ends_at: Option<i64> = columns.next()?;
        let assistant = match (of_assistant, ends_at) {
            ([Some(name), Some(host), Some(resource)], Some(ends_at)) => Some(Assistant {
                name: ClientName::parse(&name).map_err(|_| Failure::BadAssistant)?,
                host: host.into(),
                resource: resource.into(),
                ends_at: UnixSeconds::new(ends_at).map_err(|_| Failure::BadAssistant)?,
            }),
            _ => None,
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
