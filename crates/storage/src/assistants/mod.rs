//! Assistants: who may ask for tokens, what people agreed to, and how tokens are renewed.
//!
//! | module | holds |
//! |---|---|
//! | `rows` | the rows of applications, consents and connections |

mod rows;

use async_trait::async_trait;
use sea_orm::{
    ColumnTrait, EntityTrait, IntoActiveModel, JoinType, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait, SimpleExpr},
};
use slugline_domain::{
    AuditNote, TokenName, TokenRecord, UnixSeconds,
    assistants::{
        AssistantStore, Client, ClientId, Connected, Connection, ConnectionKey, ConsentCode,
        ConsentSession, Renewal,
    },
    ports::StoreError,
};

use crate::{
    audit_lines::write,
    database::Database,
    entity::{
        assistant::{
            client, code,
            connection::{self, Column, Entity},
            session,
        },
        audit, token, token_binding,
    },
    failure::Failure,
    hexadecimal::hexadecimal,
    listening::Subject,
    session::{
        Applied::{Commit, Rollback},
        Session,
    },
    tokens::{insert_token, write_scopes},
};

/// Assistants, beside the named tokens of a database.
#[derive(Clone, Debug)]
pub struct SqlAssistantStore {
    pub(crate) database: Database,
}

#[async_trait]
impl AssistantStore for SqlAssistantStore {
    async fn add_client(
        &self,
        client: &Client,
        most: u32,
        young_since: UnixSeconds,
    ) -> Result<bool, StoreError> {
        use client::{Column, Entity};

        /// The applications that one registration removes. The next ones need not then, on any node.
        const REMOVED: u64 = 10;

        let insert = Entity::insert(rows::of_client(client).into_active_model());
        let without_consent = Entity::find().select_only().filter(Column::Consented.eq(0));
        let oldest = without_consent.clone().column(Column::Id);
        let oldest = oldest
            .filter(Column::CreatedAt.lt(young_since.get()))
            .order_by_asc(Column::CreatedAt)
            .order_by_asc(Column::Id)
            .limit(REMOVED);
        let trim = Entity::delete_many().filter(Column::Id.in_subquery(oldest.into_query()));
        let count = without_consent.column_as(Column::Id.count(), "many");
        let most = i64::from(most);
        let add = async move |session: &Session<'_>| {
            if session.first(&count).await? >= Some(most) {
                session.execute(&trim).await?;
                if session.first(&count).await? >= Some(most) {
                    return Ok(Rollback(false));
                }
            }
            session.execute(&insert).await?;
            Ok(Commit(true))
        };
        self.database.change("store an application", add).await
    }

    async fn client(&self, id: &ClientId) -> Result<Option<Client>, StoreError> {
        let select = client::Entity::find_by_id(id.as_str());
        self.database.first("find an application", select).await
    }

    async fn open_session(
        &self,
        session: &ConsentSession,
        now: UnixSeconds,
    ) -> Result<(), StoreError> {
        let ended = session::Entity::delete_many().filter(session::Column::EndsAt.lte(now.get()));
        let insert = session::Entity::insert(rows::of_session(session).into_active_model());
        let open = async move |session: &Session<'_>| {
            session.execute(&ended).await?;
            session.execute(&insert).await?;
            Ok(Commit(()))
        };
        self.database.change("store a session", open).await
    }

    async fn session(&self, digest: &[u8; 32]) -> Result<Option<ConsentSession>, StoreError> {
        let select = session::Entity::find_by_id(hexadecimal(digest));
        self.database.first("find a session", select).await
    }

    async fn close_session(&self, digest: &[u8; 32]) -> Result<bool, StoreError> {
        let close = session::Entity::delete_by_id(hexadecimal(digest));
        let closed = self.database.execute("end a session", close).await;
        Ok(closed? > 0)
    }

    async fn consent(
        &self,
        session: &[u8; 32],
        code: &ConsentCode,
        now: UnixSeconds,
    ) -> Result<bool, StoreError> {
        let (of, code) = (hexadecimal(session), code.clone());
        let consent = async move |session: &Session<'_>| {
            let close = session::Entity::delete_by_id(of.as_str());
            if session.execute(&close).await? == 0 {
                return Ok(Rollback(false));
            }
            let over = code::Column::ExpiresAt.lte(now.get());
            let expired = code::Entity::delete_many().filter(over);
            session.execute(&expired).await?;
            let insert = code::Entity::insert(rows::of_code(&code).into_active_model());
            session.execute(&insert).await?;
            let kept = client::Entity::update_many()
                .col_expr(client::Column::Consented, Expr::value(1_i64))
                .filter(client::Column::Id.eq(code.client.as_str()));
            session.execute(&kept).await?;
            Ok(Commit(true))
        };
        self.database.change("store a consent", consent).await
    }

    async fn code(&self, digest: &[u8; 32]) -> Result<Option<ConsentCode>, StoreError> {
        let select = code::Entity::find_by_id(hexadecimal(digest));
        self.database.first("find a consent", select).await
    }

    async fn connect(
        &self,
        code: &[u8; 32],
        token: &TokenRecord,
        connection: &Connection,
        note: &AuditNote,
    ) -> Result<Connected, StoreError> {
        let use_up = code::Entity::delete_by_id(hexadecimal(code));
        let (token, connection, note) = (token.clone(), connection.clone(), note.clone());
        let connect = async move |session: &Session<'_>| {
            // Of several exchanges at once, one removes the row.
            if session.execute(&use_up).await? == 0 {
                return Ok(Rollback(Connected::CodeGone));
            }
            if !insert_token(session, &token, &note).await? {
                return Ok(Rollback(Connected::NameTaken));
            }
            let assistant = token.assistant.as_ref().ok_or(Failure::BadAssistant)?;
            let row = rows::of_connection(&token.digest, &connection, assistant);
            let insert = Entity::insert(row.into_active_model());
            session.execute(&insert).await?;
            Ok(Commit(Connected::Done))
        };
        let action = "store the token of an assistant";
        self.database.change(action, connect).await
    }

    async fn connection(&self, key: ConnectionKey) -> Result<Option<Connection>, StoreError> {
        let token = Entity::belongs_to(token::Entity)
            .from(Column::Digest)
            .to(token::Column::Digest);
        let select = Entity::find()
            .join(JoinType::InnerJoin, token.into())
            .column(token::Column::Name)
            .filter(with_key(key));
        let action = "find the token of an assistant";
        self.database.first(action, select).await
    }

    async fn renew(&self, renewal: &Renewal) -> Result<bool, StoreError> {
        let renewal = renewal.clone();
        let renew = async move |session: &Session<'_>| {
            let former = hexadecimal(&renewal.former_access);
            let next = hexadecimal(&renewal.access);
            // The connection first, as wherever tokens are revoked: so neither waits for the other
            // for ever.
            let connection = Entity::update_many()
                .col_expr(Column::Digest, Expr::value(next.clone()))
                .col_expr(Column::Former, Expr::value(former.clone()))
                .col_expr(Column::Refresh, Expr::value(hexadecimal(&renewal.refresh)))
                .col_expr(Column::EndsAt, Expr::value(renewal.ends_at.get()))
                .filter(Column::Family.eq(hexadecimal(&renewal.family)))
                .filter(Column::Digest.eq(former.clone()))
                .filter(Column::Refresh.eq(hexadecimal(&renewal.spent)));
            if session.execute(&connection).await? == 0 {
                return Ok(Rollback(false));
            }
            let binding = token_binding::Entity::update_many()
                .col_expr(token_binding::Column::Digest, Expr::value(next.clone()))
                .filter(token_binding::Column::Digest.eq(former.clone()));
            session.execute(&binding).await?;
            let ends_at = Expr::value(renewal.access_ends_at.get());
            let scopes = Expr::value(write_scopes(&renewal.scopes));
            let access = token::Entity::update_many()
                .col_expr(token::Column::Digest, Expr::value(next))
                .col_expr(token::Column::ExpiresAt, ends_at)
                .col_expr(token::Column::Scopes, scopes)
                .filter(token::Column::Digest.eq(former));
            if session.execute(&access).await? == 0 {
                return Ok(Rollback(false));
            }
            Ok(Commit(true))
        };
        let action = "renew the token of an assistant";
        let renewed = self.database.change(action, renew).await;
        // It may have been committed even if the answer got lost.
        self.database.changed(Subject::Tokens);
        renewed
    }

    async fn disconnect(
        &self,
        key: ConnectionKey,
        note: &AuditNote,
    ) -> Result<Option<TokenName>, StoreError> {
        let select = Entity::find().filter(with_key(key)).lock_exclusive();
        let note = note.clone();
        let disconnect = async move |session: &Session<'_>| {
            let Some(row) = session.first(&select).await? else {
                return Ok(Commit(None));
            };
            Ok(Commit(remove(session, &row, &note).await?))
        };
        let action = "revoke the token of an assistant";
        let disconnected = self.database.change(action, disconnect).await;
        self.database.changed(Subject::Tokens);
        disconnected
    }

    async fn disconnect_ended(
        &self,
        now: UnixSeconds,
        limit: u32,
        note: &AuditNote,
    ) -> Result<u32, StoreError> {
        let select = Entity::find()
            .filter(Column::EndsAt.lte(now.get()))
            .order_by_asc(Column::EndsAt)
            .limit(u64::from(limit))
            .lock_exclusive();
        let note = note.clone();
        let disconnect = async move |session: &Session<'_>| {
            let rows = session.all(&select).await?;
            for row in &rows {
                remove(session, row, &note).await?;
            }
            Ok(Commit(
                u32::try_from(rows.len()).expect("at most the limit"),
            ))
        };
        let action = "remove tokens of assistants that ended";
        let disconnected = self.database.change(action, disconnect).await;
        if !matches!(disconnected, Ok(0)) {
            self.database.changed(Subject::Tokens);
        }
        disconnected
    }
}

fn with_key(key: ConnectionKey) -> SimpleExpr {
    match key {
        ConnectionKey::Code(digest) => Column::Code.eq(hexadecimal(&digest)),
        ConnectionKey::Family(digest) => Column::Family.eq(hexadecimal(&digest)),
        ConnectionKey::Access(digest) => {
            let digest = hexadecimal(&digest);
            let former = Column::Former.eq(digest.as_str());
            former.or(Column::Digest.eq(digest))
        }
    }
}

/// Removes a connection and its token. Returns the name of the token that was there. The row is
/// locked on PostgreSQL, so no other change gives the token another digest meanwhile.
async fn remove(
    session: &Session<'_>,
    row: &connection::Model,
    note: &AuditNote,
) -> Result<Option<TokenName>, Failure> {
    let name = token::Entity::find()
        .select_only()
        .column(token::Column::Name)
        .filter(token::Column::Digest.eq(row.digest.as_str()));
    let name = session.first::<String>(&name).await?;
    let unbind = token_binding::Entity::delete_many()
        .filter(token_binding::Column::Digest.eq(row.digest.as_str()));
    session.execute(&unbind).await?;
    let forget = Entity::delete_many().filter(Column::Family.eq(row.family.as_str()));
    session.execute(&forget).await?;
    let Some(name) = name else {
        return Ok(None);
    };
    let name = TokenName::restore(&name).map_err(|_| Failure::BadToken)?;
    let delete = token::Entity::delete_many().filter(token::Column::Name.eq(name.as_str()));
    if session.execute(&delete).await? == 0 {
        return Ok(None);
    }
    write(session, audit::of_token(note, &name)).await?;
    Ok(Some(name))
}
