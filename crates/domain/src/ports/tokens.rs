//! Stores of tokens, of secrets and of codes that sign people in.

use std::fmt;

use async_trait::async_trait;

use crate::{
    AuditNote, TokenName, TokenRecord, UnixSeconds,
    ports::links::{Hearing, StoreError},
};

/// Stores named tokens, beside the links. Each method is one transaction.
///
/// A token that is stored or removed leaves one line in the audit trail, made of the `note` and
/// the token's name, in the same transaction.
#[async_trait]
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// Stores a new token. Returns false, and stores nothing, if its name or its digest is
    /// taken.
    async fn insert(&self, token: &TokenRecord, note: &AuditNote) -> Result<bool, StoreError>;

    /// Every token, by name.
    async fn list(&self) -> Result<Vec<TokenRecord>, StoreError>;

    /// Removes the token with this name. Returns whether there was one.
    async fn revoke(&self, name: &TokenName, note: &AuditNote) -> Result<bool, StoreError>;

    /// The token with this digest, expired or not.
    async fn find(&self, digest: &[u8; 32]) -> Result<Option<TokenRecord>, StoreError>;

    /// Notes that the token was used at this moment, unless a later use is noted. Does nothing
    /// if there is no such token.
    async fn touch(&self, name: &TokenName, at: UnixSeconds) -> Result<(), StoreError>;

    /// The way in which the store learns of revoked tokens. What was found stays true for as
    /// long as this is [`Hearing::Announced`] with the same number.
    ///
    /// Every request calls this, so it must not wait.
    fn hearing(&self) -> Hearing {
        Hearing::Deaf
    }
}

/// Keeps secrets that all nodes share, beside the links. Each method is one transaction.
#[async_trait]
pub trait SecretStore: fmt::Debug + Send + Sync {
    /// Returns the secret with this name. The first caller's proposal becomes the secret.
    async fn agree(&self, name: &'static str, proposed: [u8; 32]) -> Result<[u8; 32], StoreError>;
}

/// One-time codes that stand for the site token.
#[async_trait]
pub trait SignInCodes: fmt::Debug + Send + Sync {
    /// Uses up the code with this digest and returns the site token. `None` if there is no such
    /// code, it was used before, or it is over at this moment.
    async fn redeem(
        &self,
        digest: &[u8; 32],
        now: UnixSeconds,
    ) -> Result<Option<String>, StoreError>;
}
