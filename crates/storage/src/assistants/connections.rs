//! Tokens of assistants are found, renewed and revoked.

use sea_orm::{
    ColumnTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, SimpleExpr},
};
use slugline_domain::{
    AuditNote, TokenName, UnixSeconds,
    assistants::{ClientId, Connection, ConnectionKey, Renewal},
};

use crate::{
    audit_lines::write_token_line,
    entity::{
        assistant::connection::{Column, Entity, Model},
        token, token_binding,
    },
    failure::Failure,
    hexadecimal::{from_hexadecimal, hexadecimal},
    session::{Applied, Columns, Mutation, Read, Row, Session},
    tokens::read_scopes,
};

fn with_key(key: ConnectionKey) -> SimpleExpr {
    match key {
        ConnectionKey::Code(digest) => Column::Code.eq(hexadecimal(&digest)),
        ConnectionKey::Family(digest) => Column::Family.eq(hexadecimal(&digest)),
        ConnectionKey::Access(digest) => Column::Digest.eq(hexadecimal(&digest)),
    }
}

pub(super) struct FindConnection(pub(super) ConnectionKey);

impl Read for FindConnection {
    type Answer = Option<Connection>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<Connection>, Failure> {
        let token = Entity::belongs_to(token::Entity)
            .from(Column::Digest)
            .to(token::Column::Digest);
        let select = Entity::find()
            .join(JoinType::InnerJoin, token.into())
            .column(token::Column::Name)
            .column(token::Column::Scopes)
            .filter(with_key(self.0));
        session.first(&select).await
    }
}

pub(super) struct Renew(pub(super) Renewal);

impl Mutation for Renew {
    type Answer = bool;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        let (former, next) = (
            hexadecimal(&self.0.former_access),
            hexadecimal(&self.0.access),
        );
        // The connection first, as wherever tokens are revoked: so neither waits for the other for
        // ever.
        let connection = Entity::update_many()
            .col_expr(Column::Digest, Expr::value(next.clone()))
            .col_expr(Column::Refresh, Expr::value(hexadecimal(&self.0.refresh)))
            .col_expr(Column::EndsAt, Expr::value(self.0.ends_at.get()))
            .filter(Column::Family.eq(hexadecimal(&self.0.family)))
            .filter(Column::Digest.eq(former.clone()))
            .filter(Column::Refresh.eq(hexadecimal(&self.0.spent)));
        if session.execute(&connection).await? == 0 {
            return Ok(Applied::Rollback(false));
        }
        let binding = token_binding::Entity::update_many()
            .col_expr(token_binding::Column::Digest, Expr::value(next.clone()))
            .filter(token_binding::Column::Digest.eq(former.clone()));
        session.execute(&binding).await?;
        let access = token::Entity::update_many()
            .col_expr(token::Column::Digest, Expr::value(next))
            .col_expr(
                token::Column::ExpiresAt,
                Expr::value(self.0.access_ends_at.get()),
            )
            .filter(token::Column::Digest.eq(former));
        if session.execute(&access).await? == 0 {
            return Ok(Applied::Rollback(false));
        }
        Ok(Applied::Commit(true))
    }
}

pub(super) struct Disconnect(pub(super) ConnectionKey, pub(super) AuditNote);

impl Mutation for Disconnect {
    type Answer = Option<TokenName>;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Self::Answer>, Failure> {
        let select = Entity::find().filter(with_key(self.0)).lock_exclusive();
        let Some(row) = session.first::<Model>(&select).await? else {
            return Ok(Applied::Commit(None));
        };
        let removed = remove(session, &row, &self.1).await?;
        Ok(Applied::Commit(removed))
    }
}

pub(super) struct DisconnectEnded {
    pub(super) now: UnixSeconds,
    pub(super) limit: u32,
    pub(super) note: AuditNote,
}

impl Mutation for DisconnectEnded {
    type Answer = u32;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<u32>, Failure> {
        let select = Entity::find()
            .filter(Column::EndsAt.lte(self.now.get()))
            .order_by_asc(Column::EndsAt)
            .limit(u64::from(self.limit))
            .lock_exclusive();
        let rows = session.all::<Model>(&select).await?;
        for row in &rows {
            remove(session, row, &self.note).await?;
        }
        let removed = u32::try_from(rows.len()).expect("at most the limit");
        Ok(Applied::Commit(removed))
    }
}

/// Removes a connection and its token. Returns the name of the token that was there. The row is
/// locked on PostgreSQL, so nobody gives the token another digest meanwhile.
async fn remove(
    session: &impl Session,
    row: &Model,
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
    write_token_line(session, note, &name).await?;
    Ok(Some(name))
}

impl Row for Connection {
    /// Reads a row of [`FindConnection`].
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        let digest = |text: &str| from_hexadecimal(text).ok_or(Failure::BadAssistant);
        let moment = |seconds: i64| UnixSeconds::new(seconds).map_err(|_| Failure::BadAssistant);
        let row = Model::read(columns)?;
        Ok(Self {
            family: digest(&row.family)?,
            refresh: digest(&row.refresh)?,
            access: digest(&row.digest)?,
            code: digest(&row.code)?,
            client: ClientId::parse(&row.client_id).map_err(|_| Failure::BadAssistant)?,
            until: row.until.map(moment).transpose()?,
            token: TokenName::restore(&columns.text(10)?).map_err(|_| Failure::BadToken)?,
            scopes: read_scopes(&columns.text(11)?)?,
            resource: row.resource.as_str().into(),
            ends_at: moment(row.ends_at)?,
        })
    }
}
