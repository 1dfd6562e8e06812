//! The store of assistants in memory.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, TokenName, TokenRecord, UnixSeconds,
    assistants::{
        AssistantStore, Client, ClientId, Connected, Connection, ConnectionKey, ConsentCode,
        ConsentSession, Renewal,
    },
    ports::{StoreError, TokenStore},
};

use crate::MemoryTokenStore;

/// Assistants in lists, beside the tokens of a [`MemoryTokenStore`]. It passes the same contract
/// suite as the SQL store.
#[derive(Debug, Default)]
pub struct MemoryAssistantStore {
    tokens: Arc<MemoryTokenStore>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The oldest first, and whether somebody consented.
    clients: Vec<(Client, bool)>,
    sessions: Vec<ConsentSession>,
    codes: Vec<ConsentCode>,
    connections: Vec<Connection>,
}

impl MemoryAssistantStore {
    /// An empty store beside these tokens.
    pub fn beside(tokens: Arc<MemoryTokenStore>) -> Self {
        Self {
            tokens,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        self.tokens.check("use assistants")?;
        let state = self.state.lock();
        Ok(state.expect("no test panics while holding the lock"))
    }

    /// Removes a connection and its token.
    async fn remove(
        &self,
        connection: &Connection,
        note: &AuditNote,
    ) -> Result<Option<TokenName>, StoreError> {
        let family = connection.family;
        self.state()?.connections.retain(|one| one.family != family);
        let revoked = self.tokens.revoke(&connection.token, note).await?;
        Ok(revoked.then(|| connection.token.clone()))
    }
}

fn has_key(connection: &Connection, key: ConnectionKey) -> bool {
    match key {
        ConnectionKey::Code(digest) => connection.code == digest,
        ConnectionKey::Family(digest) => connection.family == digest,
        ConnectionKey::Access(digest) => connection.access == digest,
    }
}

#[async_trait]
impl AssistantStore for MemoryAssistantStore {
    async fn add_client(&self, client: &Client, most: u32) -> Result<(), StoreError> {
        let mut state = self.state()?;
        state.clients.push((client.clone(), false));
        let most = usize::try_from(most).expect("a small number");
        let waiting = state.clients.iter().filter(|(_, kept)| !kept).count();
        let mut excess = waiting.saturating_sub(most);
        state.clients.retain(|(_, kept)| {
            let goes = !kept && excess > 0;
            excess -= usize::from(goes);
            !goes
        });
        Ok(())
    }

    async fn client(&self, id: &ClientId) -> Result<Option<Client>, StoreError> {
        let state = self.state()?;
        let found = state.clients.iter().find(|(client, _)| client.id == *id);
        Ok(found.map(|(client, _)| client.clone()))
    }

    async fn open_session(
        &self,
        session: &ConsentSession,
        now: UnixSeconds,
    ) -> Result<(), StoreError> {
        let mut state = self.state()?;
        state.sessions.retain(|one| one.ends_at > now);
        state.sessions.push(session.clone());
        Ok(())
    }

    async fn session(&self, digest: &[u8; 32]) -> Result<Option<ConsentSession>, StoreError> {
        let state = self.state()?;
        let found = state.sessions.iter().find(|one| one.digest == *digest);
        Ok(found.cloned())
    }

    async fn close_session(&self, digest: &[u8; 32]) -> Result<bool, StoreError> {
        let mut state = self.state()?;
        let before = state.sessions.len();
        state.sessions.retain(|one| one.digest != *digest);
        Ok(state.sessions.len() < before)
    }

    async fn consent(
        &self,
        session: &[u8; 32],
        code: &ConsentCode,
        now: UnixSeconds,
    ) -> Result<bool, StoreError> {
        if !self.close_session(session).await? {
            return Ok(false);
        }
        let mut state = self.state()?;
        state.codes.retain(|one| one.expires_at > now);
        state.codes.push(code.clone());
        for (client, kept) in &mut state.clients {
            *kept |= client.id == code.client;
        }
        Ok(true)
    }

    async fn code(&self, digest: &[u8; 32]) -> Result<Option<ConsentCode>, StoreError> {
        let state = self.state()?;
        let found = state.codes.iter().find(|one| one.digest == *digest);
        Ok(found.cloned())
    }

    async fn connect(
        &self,
        code: &[u8; 32],
        token: &TokenRecord,
        connection: &Connection,
        note: &AuditNote,
    ) -> Result<Connected, StoreError> {
        if self.code(code).await?.is_none() {
            return Ok(Connected::CodeGone);
        }
        if !self.tokens.insert(token, note).await? {
            return Ok(Connected::NameTaken);
        }
        let mut state = self.state()?;
        state.codes.retain(|one| one.digest != *code);
        state.connections.push(connection.clone());
        Ok(Connected::Done)
    }

    async fn connection(&self, key: ConnectionKey) -> Result<Option<Connection>, StoreError> {
        let found = {
            let state = self.state()?;
            let mut connections = state.connections.iter();
            connections.find(|one| has_key(one, key)).cloned()
        };
        let Some(found) = found else {
            return Ok(None);
        };
        let token = self.tokens.find(&found.access).await?;
        Ok(token.map(|_| found))
    }

    async fn renew(&self, renewal: &Renewal) -> Result<bool, StoreError> {
        let mut state = self.state()?;
        let mut connections = state.connections.iter_mut();
        let current = connections.find(|one| {
            one.family == renewal.family
                && one.refresh == renewal.spent
                && one.access == renewal.former_access
        });
        let Some(current) = current else {
            return Ok(false);
        };
        if !self.tokens.renew(renewal) {
            return Ok(false);
        }
        current.refresh = renewal.refresh;
        current.access = renewal.access;
        current.ends_at = renewal.ends_at;
        Ok(true)
    }

    async fn disconnect(
        &self,
        key: ConnectionKey,
        note: &AuditNote,
    ) -> Result<Option<TokenName>, StoreError> {
        match self.connection(key).await? {
            Some(connection) => self.remove(&connection, note).await,
            None => Ok(None),
        }
    }

    async fn disconnect_ended(
        &self,
        now: UnixSeconds,
        limit: u32,
        note: &AuditNote,
    ) -> Result<u32, StoreError> {
        let ended: Vec<Connection> = {
            let state = self.state()?;
            let ended = state.connections.iter().filter(|one| one.ends_at <= now);
            let limit = usize::try_from(limit).expect("a small number");
            ended.take(limit).cloned().collect()
        };
        for connection in &ended {
            self.remove(connection, note).await?;
        }
        Ok(u32::try_from(ended.len()).expect("at most the limit"))
    }
}
