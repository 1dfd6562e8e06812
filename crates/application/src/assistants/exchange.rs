//! The tokens of an application: a code turns into tokens, a refresh token into the next ones, and the
//! application gives them back (RFC 7009).

use std::net::IpAddr;

use slugline_domain::{
    AuditedOperation, Author, CallerName, Scopes, TokenName, TokenRecord,
    assistants::{
        Assistant, CodeVerifier, Connected, Connection, ConnectionKey, ConsentCode, Renewal,
        narrowed_scopes,
    },
};

use super::{
    clients::name_for,
    service::{AssistantError, Assistants},
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

/// Tokens for an application. The service cannot show them again.
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
    /// verifier, address or resource; the token of the person who agreed is over; the network sent
    /// too many wrong ones; or the store failed.
    pub async fn exchange(
        &self,
        sent: Exchange<'_>,
        from: IpAddr,
    ) -> Result<Granted, AssistantError> {
        if !texts::is_secret(sent.code) {
            return Err(self.wrong(from, WRONG_CODE));
        }
        self.may_look(from)?;
        let digest = texts::digest_of(sent.code);
        let given = ConnectionKey::Code(digest);
        let Some(code) = self.parts.store.code(&digest).await? else {
            return Err(self.spent(given, WRONG_CODE, from).await?);
        };
        self.check(&code, sent, from)?;
        if self.holder(&code.holder, sent.code).await?.is_none() {
            return Err(self.wrong(from, WRONG_CODE));
        }
        loop {
            let others = self.parts.token_store.list().await?;
            let others: Vec<TokenName> = others.into_iter().map(|token| token.name).collect();
            let name = name_for(&code, &others);
            let (record, connection, granted) = self.tokens_for(&code, name);
            let note = self.note(AuditedOperation::TokenAdd, &code.author);
            let store = &self.parts.store;
            match store.connect(&digest, &record, &connection, &note).await? {
                Connected::Done => return Ok(granted),
                Connected::CodeGone => return Err(self.spent(given, WRONG_CODE, from).await?),
                // Another request took the name meanwhile.
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

    /// Revokes what a spent code or refresh token gave, because two parties have it.
    async fn spent(
        &self,
        key: ConnectionKey,
        reason: &'static str,
        from: IpAddr,
    ) -> Result<AssistantError, AssistantError> {
        let note = self.note(AuditedOperation::TokenRevoke, &Author::service());
        self.parts.store.disconnect(key, &note).await?;
        Ok(self.wrong(from, reason))
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

/// The parameters with which an application renews its tokens.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "RFC 6749 and 8707 define each by its name")]
pub struct Refresh<'a> {
    pub refresh_token: &'a str,
    pub client_id: &'a str,
    pub scope: Option<&'a str>,
    pub resource: Option<&'a str>,
}

const WRONG: &str = "the refresh token is wrong, was revoked, or is over; ask for consent again";
const SPENT: &str = "the refresh token was used before, so two parties may have it; what it gave \
                     is revoked, ask for consent again";

impl Assistants {
    /// Exchanges a refresh token for the next one and an access token, which gets fewer scopes if
    /// fewer are asked for. The former access token is refused from now on. A refresh token that
    /// is sent a second time revokes the connection.
    ///
    /// # Errors
    /// The token is wrong, spent or over, or belongs to another application; more is asked for than
    /// was granted; the network sent too many wrong ones; or the store failed.
    pub async fn refresh(
        &self,
        sent: Refresh<'_>,
        from: IpAddr,
    ) -> Result<Granted, AssistantError> {
        let Some(text) = RefreshText::parse(sent.refresh_token) else {
            return Err(self.wrong(from, WRONG));
        };
        self.may_look(from)?;
        let family = ConnectionKey::Family(text.family_digest());
        let connection = self.parts.store.connection(family).await?;
        let Some(connection) = connection.filter(|one| self.now() < one.ends_at) else {
            return Err(self.wrong(from, WRONG));
        };
        if connection.client.as_str() != sent.client_id {
            return Err(self.wrong(from, "the refresh token was given to another client"));
        }
        if connection.refresh != text.digest() {
            return Err(self.spent(family, SPENT, from).await?);
        }
        Self::check_resource(sent.resource, &connection.resource)?;
        let scopes = narrowed_scopes(sent.scope, &connection.scopes);
        let scopes = scopes.ok_or(AssistantError::ScopeNotGranted)?;
        let (renewal, granted) = self.renewal_of(&connection, &text, scopes);
        if self.parts.store.renew(&renewal).await? {
            return Ok(granted);
        }
        // Another request renewed it at the same moment, or it was just revoked.
        Err(self.spent(family, SPENT, from).await?)
    }

    fn renewal_of(
        &self,
        connection: &Connection,
        spent: &RefreshText,
        scopes: Scopes,
    ) -> (Renewal, Granted) {
        let random = &*self.parts.random;
        let (access, refresh) = (TokenText::mint_access(random), spent.next(random));
        let access_ends_at = Self::no_later(self.after(Self::ACCESS_SECONDS), connection.until);
        let renewal = Renewal {
            family: connection.family,
            spent: connection.refresh,
            refresh: refresh.digest(),
            former_access: connection.access,
            access: texts::digest_of(access.as_str()),
            scopes: scopes.clone(),
            access_ends_at,
            ends_at: Self::no_later(self.after(Self::IDLE_SECONDS), connection.until),
        };
        let granted = Granted {
            access,
            refresh: refresh.text(),
            scopes,
            seconds: access_ends_at.get() - self.now().get(),
        };
        (renewal, granted)
    }
}

impl Assistants {
    /// Revokes the connection to which an access token, the one before it, or a refresh token
    /// belongs. A text that is no token any more is no error (RFC 7009, section 2.2).
    ///
    /// # Errors
    /// The token belongs to another application, the network sent too many wrong ones, or the store
    /// failed.
    pub async fn give_back(
        &self,
        token: &str,
        client_id: Option<&str>,
        from: IpAddr,
    ) -> Result<(), AssistantError> {
        let key = if let Some(refresh) = RefreshText::parse(token) {
            ConnectionKey::Family(refresh.family_digest())
        } else if TokenText::is_access(token) {
            ConnectionKey::Access(texts::digest_of(token))
        } else {
            return Ok(());
        };
        self.may_look(from)?;
        let Some(connection) = self.parts.store.connection(key).await? else {
            // Counted, so that a flood of wrong texts is none of statements.
            let _ = self.wrong(from, "no such token");
            return Ok(());
        };
        if client_id.is_some_and(|id| id != connection.client.as_str()) {
            return Err(self.wrong(from, "the token was given to another client"));
        }
        let caller = CallerName::parse(connection.token.as_str());
        let author = Author {
            caller: caller.expect("a token's name is a caller's name"),
            client: None,
        };
        let note = self.note(AuditedOperation::TokenRevoke, &author);
        // A renewal may replace the access token meanwhile, and leaves the family.
        let family = ConnectionKey::Family(connection.family);
        self.parts.store.disconnect(family, &note).await?;
        Ok(())
    }
}
