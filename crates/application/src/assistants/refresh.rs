//! A refresh token turns into the next tokens.

use std::net::IpAddr;

use slugline_domain::{
    Author, Operation, Scopes,
    assistants::{Connection, ConnectionKey, OFFERED, Renewal},
};

use super::{
    error::AssistantError,
    exchange::Granted,
    service::Assistants,
    texts::{self, RefreshText},
};
use crate::tokens::TokenText;

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
    /// Exchanges a refresh token for the next one and an access token. The former access token is
    /// refused from now on. A refresh token that is sent a second time revokes the connection.
    ///
    /// # Errors
    /// The token is wrong, spent or over, or belongs to another application; more is asked for than
    /// was granted; the network sent too many wrong ones; or the store failed.
    pub async fn refresh(
        &self,
        sent: Refresh<'_>,
        from: IpAddr,
    ) -> Result<Granted, AssistantError> {
        self.may_fail(from)?;
        let Some(text) = RefreshText::parse(sent.refresh_token) else {
            return Err(self.wrong(from, WRONG));
        };
        let family = ConnectionKey::Family(text.family_digest());
        let connection = self.parts.store.connection(family).await?;
        let Some(connection) = connection.filter(|one| self.now() < one.ends_at) else {
            return Err(self.wrong(from, WRONG));
        };
        if connection.client.as_str() != sent.client_id {
            return Err(self.wrong(from, "the refresh token was given to another client"));
        }
        if connection.refresh != text.digest() {
            return Err(self.spent_refresh(family, from).await?);
        }
        Self::check_resource(sent.resource, &connection.resource)?;
        check_scope(sent.scope, &connection.scopes)?;
        let (renewal, granted) = self.renewal_of(&connection, &text);
        if self.parts.store.renew(&renewal).await? {
            return Ok(granted);
        }
        // Somebody else renewed it at the same moment, or it was just revoked.
        Err(self.spent_refresh(family, from).await?)
    }

    async fn spent_refresh(
        &self,
        family: ConnectionKey,
        from: IpAddr,
    ) -> Result<AssistantError, AssistantError> {
        let note = self.note(Operation::TokenRevoke, Author::service());
        self.parts.store.disconnect(family, &note).await?;
        Ok(self.wrong(from, SPENT))
    }

    fn renewal_of(&self, connection: &Connection, spent: &RefreshText) -> (Renewal, Granted) {
        let random = &*self.parts.random;
        let (access, refresh) = (TokenText::mint_access(random), spent.next(random));
        let access_ends_at = Self::no_later(self.after(Self::ACCESS_SECONDS), connection.until);
        let renewal = Renewal {
            family: connection.family,
            spent: connection.refresh,
            refresh: refresh.digest(),
            former_access: connection.access,
            access: texts::digest_of(access.as_str()),
            access_ends_at,
            ends_at: Self::no_later(self.after(Self::IDLE_SECONDS), connection.until),
        };
        let granted = Granted {
            access,
            refresh: refresh.text(),
            scopes: connection.scopes.clone(),
            seconds: access_ends_at.get() - self.now().get(),
        };
        (renewal, granted)
    }
}

/// Refuses scopes that were not granted. The answer names those of the token.
fn check_scope(sent: Option<&str>, granted: &Scopes) -> Result<(), AssistantError> {
    let mut words = sent.unwrap_or_default().split_ascii_whitespace();
    let beyond = |word: &str| {
        let offered = OFFERED.into_iter().find(|scope| scope.as_str() == word);
        word != "offline_access" && offered.is_none_or(|scope| !granted.permit(scope))
    };
    if words.any(beyond) {
        return Err(AssistantError::ScopeNotGranted);
    }
    Ok(())
}
