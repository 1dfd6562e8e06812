//! Named tokens.

use std::collections::HashMap;

use async_trait::async_trait;
use sea_orm::{
    ColumnTrait, EntityTrait, IntoActiveModel, Order, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
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
    session::{Applied, Change, Read, Session},
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

impl Change for Insert {
    type Answer = bool;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        let Self(token, note) = self;
        let inserted = insert_token(session, token, note).await?;
        Ok(Applied::Keep(inserted))
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
        let select = Entity::find().order_by(Column::CreatedAt, Order::Asc);
        let rows = session.all::<Model>(&select).await?;
        let bindings = session
            .all::<token_binding::Model>(&token_binding::Entity::find())
            .await?;
        let bindings: HashMap<&str, &token_binding::Model> = bindings
            .iter()
            .map(|row| (row.digest.as_str(), row))
            .collect();
        let connections = session
            .all::<connection::Model>(&connection::Entity::find())
            .await?;
        let connections: HashMap<&str, &connection::Model> = connections
            .iter()
            .map(|row| (row.digest.as_str(), row))
            .collect();
        let whole = |row: &Model| {
            let digest = row.digest.as_str();
            let (binding, connection) = (bindings.get(digest), connections.get(digest));
            to_token(row, binding.copied(), connection.copied())
        };
        let tokens: Result<Vec<_>, _> = rows.iter().map(whole).collect();
        let mut tokens = tokens?;
        // Databases differ in the order of texts.
        tokens.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(tokens)
    }
}

struct Revoke(TokenName, AuditNote);

impl Change for Revoke {
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
        Ok(Applied::Keep(revoked))
    }
}

/// By the digest in hexadecimal.
struct Find(String);

impl Read for Find {
    type Answer = Option<TokenRecord>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<TokenRecord>, Failure> {
        let select = Entity::find().filter(Column::Digest.eq(self.0.as_str()));
        let Some(row) = session.first::<Model>(&select).await? else {
            return Ok(None);
        };
        let select = token_binding::Entity::find_by_id(self.0.as_str());
        let binding = session.first::<token_binding::Model>(&select).await?;
        let select = connection::Entity::find_by_id(self.0.as_str());
        let connection = session.first::<connection::Model>(&select).await?;
        to_token(&row, binding.as_ref(), connection.as_ref()).map(Some)
    }
}

struct Touch {
    name: TokenName,
    at: UnixSeconds,
}

impl Change for Touch {
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
        Ok(Applied::Keep(()))
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

fn to_binding(row: &token_binding::Model) -> Result<Binding, Failure> {
    let binding = binding_text::read(&row.link_ids, &row.tags, &row.domains);
    binding.ok_or(Failure::BadToken)
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

fn to_assistant(row: &connection::Model) -> Result<Assistant, Failure> {
    Ok(Assistant {
        name: ClientName::parse(&row.client_name).map_err(|_| Failure::BadAssistant)?,
        host: row.client_host.as_str().into(),
        resource: row.resource.as_str().into(),
        ends_at: UnixSeconds::new(row.ends_at).map_err(|_| Failure::BadAssistant)?,
    })
}

fn to_token(
    row: &Model,
    binding: Option<&token_binding::Model>,
    connection: Option<&connection::Model>,
) -> Result<TokenRecord, Failure> {
    let moment = |seconds: i64| UnixSeconds::new(seconds).map_err(|_| Failure::BadToken);
    Ok(TokenRecord {
        name: TokenName::restore(&row.name).map_err(|_| Failure::BadToken)?,
        digest: from_hexadecimal(&row.digest).ok_or(Failure::BadToken)?,
        scopes: read_scopes(&row.scopes)?,
        reach: match binding {
            Some(binding) => Reach::bound(to_binding(binding)?),
            None => Reach::Everything,
        },
        expires_at: row.expires_at.map(moment).transpose()?,
        created_at: moment(row.created_at)?,
        last_used_at: row.last_used_at.map(moment).transpose()?,
        assistant: connection.map(to_assistant).transpose()?,
    })
}
