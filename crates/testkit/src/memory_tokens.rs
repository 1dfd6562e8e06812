//! The token store in memory.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, TokenName, TokenRecord, UnixSeconds,
    ports::{Hearing, StoreError, TokenStore},
};

/// Tokens in a map, without an audit trail. It passes the same contract suite as the SQL store.
#[derive(Debug)]
pub struct MemoryTokenStore {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    tokens: BTreeMap<TokenName, TokenRecord>,
    hearing: Hearing,
    broken: bool,
    finds: u32,
}

/// A store that announces revoked tokens.
impl Default for MemoryTokenStore {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                tokens: BTreeMap::new(),
                hearing: Hearing::Announced(1),
                broken: false,
                finds: 0,
            }),
        }
    }
}

impl MemoryTokenStore {
    /// Sets the reported way of learning of revoked tokens.
    pub fn hear(&self, hearing: Hearing) {
        self.state().hearing = hearing;
    }

    /// Makes later calls fail, as if the database were down, or succeed again.
    pub fn set_broken(&self, broken: bool) {
        self.state().broken = broken;
    }

    /// The number of calls of [`TokenStore::find`].
    pub fn finds(&self) -> u32 {
        self.state().finds
    }

    /// Removes the token as another process would, whose announcement has not arrived.
    pub fn revoke_unheard(&self, name: &TokenName) {
        self.state().tokens.remove(name);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("no test panics while holding the lock")
    }

    fn open(&self, action: &'static str) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state();
        if state.broken {
            return Err(StoreError::Failed {
                action,
                source: "the database went away".into(),
            });
        }
        Ok(state)
    }
}

#[async_trait]
impl TokenStore for MemoryTokenStore {
    async fn insert(&self, token: &TokenRecord, _: &AuditNote) -> Result<bool, StoreError> {
        let mut state = self.open("store a token")?;
        let collides =
            |other: &TokenRecord| other.name == token.name || other.digest == token.digest;
        if state.tokens.values().any(collides) {
            return Ok(false);
        }
        state.tokens.insert(token.name.clone(), token.clone());
        Ok(true)
    }

    async fn list(&self) -> Result<Vec<TokenRecord>, StoreError> {
        Ok(self.open("list tokens")?.tokens.values().cloned().collect())
    }

    async fn revoke(&self, name: &TokenName, _: &AuditNote) -> Result<bool, StoreError> {
        let mut state = self.open("revoke a token")?;
        if let Hearing::Announced(number) = &mut state.hearing {
            *number += 1;
        }
        Ok(state.tokens.remove(name).is_some())
    }

    async fn find(&self, digest: &[u8; 32]) -> Result<Option<TokenRecord>, StoreError> {
        let mut state = self.open("find a token")?;
        state.finds += 1;
        let mut tokens = state.tokens.values();
        Ok(tokens.find(|token| token.digest == *digest).cloned())
    }

    async fn touch(&self, name: &TokenName, at: UnixSeconds) -> Result<(), StoreError> {
        let mut state = self.open("note the use of a token")?;
        if let Some(token) = state.tokens.get_mut(name) {
            token.last_used_at = token.last_used_at.max(Some(at));
        }
        Ok(())
    }

    fn hearing(&self) -> Hearing {
        self.state().hearing
    }
}
