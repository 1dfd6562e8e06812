//! The store of what precedes and renews the tokens of assistants.

use std::fmt;

use async_trait::async_trait;

use super::{
    Client, ClientId, Connected, Connection, ConnectionKey, ConsentCode, ConsentSession, Renewal,
};
use crate::{AuditNote, TokenName, TokenRecord, UnixSeconds, ports::StoreError};

/// Stores applications, sessions, codes and connections, beside the named tokens, for all nodes.
/// Each method is one transaction.
///
/// A token that is stored or removed leaves one line in the audit trail, made of the `note` and
/// the token's name.
#[async_trait]
pub trait AssistantStore: fmt::Debug + Send + Sync {
    /// Stores a new application. If there are `most` or more to which no person ever consented, the
    /// oldest of these go, but none that registered at `young_since` or later. Returns false, and
    /// changes nothing, while those alone are so many.
    async fn add_client(
        &self,
        client: &Client,
        most: u32,
        young_since: UnixSeconds,
    ) -> Result<bool, StoreError>;

    /// The application with this identifier.
    async fn client(&self, id: &ClientId) -> Result<Option<Client>, StoreError>;

    /// Stores a session, and removes those that have ended.
    async fn open_session(
        &self,
        session: &ConsentSession,
        now: UnixSeconds,
    ) -> Result<(), StoreError>;

    /// The session with this digest, ended or not.
    async fn session(&self, digest: &[u8; 32]) -> Result<Option<ConsentSession>, StoreError>;

    /// Ends a session. Returns whether there was one.
    async fn close_session(&self, digest: &[u8; 32]) -> Result<bool, StoreError>;

    /// Ends a session and stores the code to which it consented. Removes codes that have expired.
    /// Returns false, and stores nothing, if there is no such session any more.
    async fn consent(
        &self,
        session: &[u8; 32],
        code: &ConsentCode,
        now: UnixSeconds,
    ) -> Result<bool, StoreError>;

    /// The code with this digest, expired or not.
    async fn code(&self, digest: &[u8; 32]) -> Result<Option<ConsentCode>, StoreError>;

    /// Uses up a code, and stores the token and the connection that it gives.
    async fn connect(
        &self,
        code: &[u8; 32],
        token: &TokenRecord,
        connection: &Connection,
        note: &AuditNote,
    ) -> Result<Connected, StoreError>;

    /// The connection with this key. Its token is there.
    async fn connection(&self, key: ConnectionKey) -> Result<Option<Connection>, StoreError>;

    /// Replaces the texts of a connection. Returns false, and changes nothing, if those that are
    /// named as valid so far are not.
    async fn renew(&self, renewal: &Renewal) -> Result<bool, StoreError>;

    /// Removes a connection and its token. Returns the token's name if there was one.
    async fn disconnect(
        &self,
        key: ConnectionKey,
        note: &AuditNote,
    ) -> Result<Option<TokenName>, StoreError>;

    /// Removes at most `limit` connections that have ended, with their tokens. Returns their number.
    async fn disconnect_ended(
        &self,
        now: UnixSeconds,
        limit: u32,
        note: &AuditNote,
    ) -> Result<u32, StoreError>;
}
