//! An application gives its tokens back (RFC 7009).

use std::net::IpAddr;

use slugline_domain::{Author, CallerName, Operation, assistants::ConnectionKey};

use super::{
    error::AssistantError,
    service::Assistants,
    texts::{self, RefreshText},
};
use crate::tokens::TokenText;

impl Assistants {
    /// Revokes the connection to which an access token or a refresh token belongs. A text that is
    /// no token any more is no error (RFC 7009, section 2.2).
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
        self.may_fail(from)?;
        let key = if let Some(refresh) = RefreshText::parse(token) {
            ConnectionKey::Family(refresh.family_digest())
        } else if TokenText::is_access(token) {
            ConnectionKey::Access(texts::digest_of(token))
        } else {
            return Ok(());
        };
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
        let note = self.note(Operation::TokenRevoke, author);
        self.parts.store.disconnect(key, &note).await?;
        Ok(())
    }
}
