//! A code turns into a token.

use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use slugline_domain::{
    AuditNote, TokenRecord, UnixSeconds,
    assistants::{Connected, Connection},
};

use crate::{
    entity::assistant::{code, connection},
    failure::Failure,
    hexadecimal::hexadecimal,
    session::{Applied, Mutation, Session},
    tokens::insert_token,
};

pub(super) struct Connect {
    pub(super) code: [u8; 32],
    pub(super) token: TokenRecord,
    pub(super) connection: Connection,
    pub(super) note: AuditNote,
}

impl Mutation for Connect {
    type Answer = Connected;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Connected>, Failure> {
        let use_up =
            code::Entity::delete_many().filter(code::Column::Digest.eq(hexadecimal(&self.code)));
        // Of several exchanges at once, one removes the row.
        if session.execute(&use_up).await? == 0 {
            return Ok(Applied::Rollback(Connected::CodeGone));
        }
        if !insert_token(session, &self.token, &self.note).await? {
            return Ok(Applied::Rollback(Connected::NameTaken));
        }
        let Some(assistant) = &self.token.assistant else {
            return Err(Failure::BadAssistant);
        };
        let row = connection::Model {
            digest: hexadecimal(&self.token.digest),
            family: hexadecimal(&self.connection.family),
            refresh: hexadecimal(&self.connection.refresh),
            code: hexadecimal(&self.connection.code),
            client_id: self.connection.client.to_string(),
            client_name: assistant.name.to_string(),
            client_host: assistant.host.to_string(),
            resource: assistant.resource.to_string(),
            until: self.connection.until.map(UnixSeconds::get),
            ends_at: assistant.ends_at.get(),
        };
        let insert = connection::Entity::insert(row.into_active_model());
        session.execute(&insert).await?;
        Ok(Applied::Commit(Connected::Done))
    }
}
