//! Assistants: who may ask for tokens, what people agreed to, and how tokens are renewed.

mod clients;
mod connect;
mod connections;
mod consent;

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, TokenName, TokenRecord, UnixSeconds,
    assistants::{
        AssistantStore, Client, ClientId, Connected, Connection, ConnectionKey, ConsentCode,
        ConsentSession, Renewal,
    },
    ports::StoreError,
};

use self::{
    clients::{AddClient, FindClient},
    connect::Connect,
    connections::{Disconnect, DisconnectEnded, FindConnection, Renew},
    consent::{CloseSession, Consent, FindCode, FindSession, OpenSession},
};
use crate::{database::Database, failure::failing_to};

/// Assistants, beside the named tokens of a database.
#[derive(Clone, Debug)]
pub struct SqlAssistantStore {
    pub(crate) database: Database,
}

#[async_trait]
impl AssistantStore for SqlAssistantStore {
    async fn add_client(&self, client: &Client, most: u32) -> Result<(), StoreError> {
        let add = AddClient(client.clone(), most);
        let added = self.database.change(add).await;
        added.map_err(failing_to("store an application"))
    }

    async fn client(&self, id: &ClientId) -> Result<Option<Client>, StoreError> {
        let found = self.database.read(FindClient(id.clone())).await;
        found.map_err(failing_to("find an application"))
    }

    async fn open_session(
        &self,
        session: &ConsentSession,
        now: UnixSeconds,
    ) -> Result<(), StoreError> {
        let open = OpenSession(session.clone(), now);
        let opened = self.database.change(open).await;
        opened.map_err(failing_to("store a session"))
    }

    async fn session(&self, digest: &[u8; 32]) -> Result<Option<ConsentSession>, StoreError> {
        let found = self.database.read(FindSession(*digest)).await;
        found.map_err(failing_to("find a session"))
    }

    async fn close_session(&self, digest: &[u8; 32]) -> Result<bool, StoreError> {
        let closed = self.database.change(CloseSession(*digest)).await;
        closed.map_err(failing_to("end a session"))
    }

    async fn consent(
        &self,
        session: &[u8; 32],
        code: &ConsentCode,
        now: UnixSeconds,
    ) -> Result<bool, StoreError> {
        let consent = Consent(*session, code.clone(), now);
        let stored = self.database.change(consent).await;
        stored.map_err(failing_to("store a consent"))
    }

    async fn code(&self, digest: &[u8; 32]) -> Result<Option<ConsentCode>, StoreError> {
        let found = self.database.read(FindCode(*digest)).await;
        found.map_err(failing_to("find a consent"))
    }

    async fn connect(
        &self,
        code: &[u8; 32],
        token: &TokenRecord,
        connection: &Connection,
        note: &AuditNote,
    ) -> Result<Connected, StoreError> {
        let connect = Connect {
            code: *code,
            token: token.clone(),
            connection: connection.clone(),
            note: note.clone(),
        };
        let connected = self.database.change(connect).await;
        connected.map_err(failing_to("store the token of an assistant"))
    }

    async fn connection(&self, key: ConnectionKey) -> Result<Option<Connection>, StoreError> {
        let found = self.database.read(FindConnection(key)).await;
        found.map_err(failing_to("find the token of an assistant"))
    }

    async fn renew(&self, renewal: &Renewal) -> Result<bool, StoreError> {
        let renewed = self.database.change(Renew(renewal.clone())).await;
        // It may have been committed even if the answer got lost.
        self.database.tokens_changed();
        renewed.map_err(failing_to("renew the token of an assistant"))
    }

    async fn disconnect(
        &self,
        key: ConnectionKey,
        note: &AuditNote,
    ) -> Result<Option<TokenName>, StoreError> {
        let disconnect = Disconnect(key, note.clone());
        let disconnected = self.database.change(disconnect).await;
        self.database.tokens_changed();
        disconnected.map_err(failing_to("revoke the token of an assistant"))
    }

    async fn disconnect_ended(
        &self,
        now: UnixSeconds,
        limit: u32,
        note: &AuditNote,
    ) -> Result<u32, StoreError> {
        let disconnect = DisconnectEnded {
            now,
            limit,
            note: note.clone(),
        };
        let disconnected = self.database.change(disconnect).await;
        if !matches!(disconnected, Ok(0)) {
            self.database.tokens_changed();
        }
        disconnected.map_err(failing_to("remove tokens of assistants that ended"))
    }
}
