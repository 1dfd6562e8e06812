//! Sign-in codes in memory.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use slugline_domain::{
    UnixSeconds,
    ports::{SignInCodes, StoreError},
};

/// Codes in memory, which stand for one token.
#[derive(Debug)]
pub struct MemorySignInCodes {
    token: String,
    ends: Mutex<HashMap<[u8; 32], UnixSeconds>>,
}

impl MemorySignInCodes {
    /// Creates codes for this token; there is none yet.
    pub fn of(token: &str) -> Self {
        Self {
            token: token.into(),
            ends: Mutex::default(),
        }
    }

    /// Adds the code with this digest.
    pub fn add(&self, digest: [u8; 32], end: UnixSeconds) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.insert(digest, end);
    }
}

#[async_trait]
impl SignInCodes for MemorySignInCodes {
    async fn redeem(
        &self,
        digest: &[u8; 32],
        now: UnixSeconds,
    ) -> Result<Option<String>, StoreError> {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let end = ends.remove(digest).filter(|end| now < *end);
        Ok(end.map(|_| self.token.clone()))
    }
}
