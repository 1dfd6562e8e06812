//! A code turns into tokens.

use std::net::IpAddr;

use slugline_domain::{
    Author, Operation, Scopes, TokenName, TokenRecord,
    assistants::{Assistant, CodeVerifier, Connected, Connection, ConnectionKey, ConsentCode},
};

use super::{
    error::AssistantError,
    names::name_for,
    service::Assistants,
    texts::{self, RefreshText},
};
use crate::tokens::TokenText;

/// The parameters with which an application exchanges a code.
#[derive(Clone, Copy, Debug)]
#[expect(
    missing_docs,
    reason = "RFC 6749, 7636 and 8707 define each by its name"
)]
pub struct Exchange<'a> {
    pub code: &'a str,
    pub client_id: &'a str,
    pub code_verifier: &'a str,
    pub redirect_uri: Option<&'a str>,
    pub resource: Option<&'a str>,
}

/// Tokens for an application. Nobody can read them again.
#[derive(Debug)]
pub struct Granted {
    /// Opens the resource.
    pub access: TokenText,
    /// Gets the next tokens, once.
    pub refresh: String,
    /// The scopes of the access token.
    pub scopes: Scopes,
    /// The seconds for which the access token is valid.
    pub seconds: i64,
}

const WRONG_CODE: &str =
    "the code is wrong, was used before, or is over: each is valid once, for a minute";

impl Assistants {
    /// Exchanges a code for tokens. A code that is sent a second time revokes what it gave.
    ///
    /// # Errors
    /// The code is wrong, spent or over, or was given to another application or for another
    /// verifier, address or resource; the network sent too many wrong ones; or the store failed.
    pub async fn exchange(
        &self,
        sent: Exchange<'_>,
        from: IpAddr,
    ) -> Result<Granted, AssistantError> {
        self.may_fail(from)?;
        if !texts::is_code(sent.code) {
            return Err(self.wrong(from, WRONG_CODE));
        }
        let digest = texts::digest_of(sent.code);
        let Some(code) = self.parts.store.code(&digest).await? else {
            return Err(self.spent_code(digest, from).await?);
        };
        self.check(&code, sent, from)?;
        loop {
            let others = self.parts.token_store.list().await?;
            let others: Vec<TokenName> = others.into_iter().map(|token| token.name).collect();
            let name = name_for(&code, &others);
            let (record, connection, granted) = self.tokens_for(&code, name);
            let note = self.note(Operation::TokenAdd, code.author.clone());
            let store = &self.parts.store;
            match store.connect(&digest, &record, &connection, &note).await? {
                Connected::Done => return Ok(granted),
                Connected::CodeGone => return Err(self.spent_code(digest, from).await?),
                // Somebody else took the name meanwhile.
                Connected::NameTaken => {}
            }
        }
    }

    fn check(
        &self,
        code: &ConsentCode,
        sent: Exchange<'_>,
        from: IpAddr,
    ) -> Result<(), AssistantError> {
        if code.expires_at <= self.now() {
            return Err(self.wrong(from, WRONG_CODE));
        }
        if code.client.as_str() != sent.client_id {
            return Err(self.wrong(from, "the code was given to another client"));
        }
        if sent
            .redirect_uri
            .is_some_and(|sent| sent != code.redirect.as_str())
        {
            return Err(self.wrong(from, "the code was sent to another redirect_uri"));
        }
        let verifier = CodeVerifier::parse(sent.code_verifier);
        if !verifier.is_some_and(|verifier| texts::meets(&verifier, &code.challenge)) {
            return Err(self.wrong(from, "code_verifier does not meet the code_challenge"));
        }
        Self::check_resource(sent.resource, &code.resource)
    }

    /// Revokes what a spent code gave, because two parties have it.
    async fn spent_code(
        &self,
        digest: [u8; 32],
        from: IpAddr,
    ) -> Result<AssistantError, AssistantError> {
        let note = self.note(Operation::TokenRevoke, Author::service());
        let key = ConnectionKey::Code(digest);
        self.parts.store.disconnect(key, &note).await?;
        Ok(self.wrong(from, WRONG_CODE))
    }

    fn tokens_for(
        &self,
        code: &ConsentCode,
        name: TokenName,
    ) -> (TokenRecord, Connection, Granted) {
        let random = &*self.parts.random;
        let (access, refresh) = (TokenText::mint_access(random), RefreshText::mint(random));
        let expires_at = Self::no_later(self.after(Self::ACCESS_SECONDS), code.until);
        let ends_at = Self::no_later(self.after(Self::IDLE_SECONDS), code.until);
        let record = TokenRecord {
            name: name.clone(),
            digest: texts::digest_of(access.as_str()),
            scopes: code.scopes.clone(),
            reach: code.reach.clone(),
            expires_at: Some(expires_at),
            created_at: self.now(),
            last_used_at: None,
            assistant: Some(Assistant {
                name: code.name.clone(),
                host: code.host.clone(),
                resource: code.resource.clone(),
                ends_at,
            }),
        };
        let connection = Connection {
            family: refresh.family_digest(),
            refresh: refresh.digest(),
            access: record.digest,
            code: code.digest,
            client: code.client.clone(),
            until: code.until,
            token: name,
            scopes: code.scopes.clone(),
            resource: code.resource.clone(),
            ends_at,
        };
        let granted = Granted {
            access,
            refresh: refresh.text(),
            scopes: code.scopes.clone(),
            seconds: expires_at.get() - self.now().get(),
        };
        (record, connection, granted)
    }
}
