//! The use cases, their dependencies, and what all of them do.

use std::{net::IpAddr, sync::Arc};

use slugline_domain::{
    AuditNote, Author, ClientNetwork, Operation, UnixSeconds,
    assistants::{AssistantStore, ClientDocuments},
    ports::{Clock, Random, StoreError, TokenStore},
};

use super::{error::AssistantError, known_documents::KnownDocuments};
use crate::{attempts::ClientLimit, auth::Authenticator, tokens::Tokens};

/// The use cases of assistants.
#[derive(Debug)]
pub struct Assistants {
    pub(super) parts: AssistantsParts,
    pub(super) documents: KnownDocuments,
    /// Registrations, which anybody may make.
    pub(super) registrations: ClientLimit<()>,
    /// Wrong codes and refresh tokens. Nobody guesses one; this spares the database.
    failures: ClientLimit<()>,
}

/// The dependencies of [`Assistants`].
#[derive(Debug)]
pub struct AssistantsParts {
    /// Stores applications, consents and connections.
    pub store: Arc<dyn AssistantStore>,
    /// Stores the tokens.
    pub token_store: Arc<dyn TokenStore>,
    /// The use cases of tokens, which bind them to links.
    pub tokens: Tokens,
    /// Checks the tokens with which people sign in.
    pub authenticator: Arc<Authenticator>,
    /// Fetches the documents in which applications describe themselves.
    pub documents: Arc<dyn ClientDocuments>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes secrets.
    pub random: Arc<dyn Random>,
    /// The only address that tokens of assistants open.
    pub resource: String,
}

impl Assistants {
    /// Seconds for which an access token is valid.
    pub const ACCESS_SECONDS: i64 = 3_600;
    /// Seconds for which a connection can be renewed after its last renewal.
    pub const IDLE_SECONDS: i64 = 90 * 86_400;
    /// Seconds for which a code is valid.
    pub const CODE_SECONDS: i64 = 60;
    /// Seconds for which somebody who signed in may decide.
    pub const SESSION_SECONDS: i64 = 600;
    /// Registrations that a client network may make in a minute. Connector dialogs come from a few
    /// networks, so fewer would keep people out.
    pub const REGISTRATIONS_PER_MINUTE: u32 = 30;
    /// The most applications that are kept although nobody ever consented to them.
    pub const MOST_WITHOUT_CONSENT: u32 = 1_000;
    /// Wrong codes and refresh tokens that a client network may send in a minute.
    const MAX_FAILURES_PER_MINUTE: u32 = 30;
    /// Client networks that are remembered.
    const REMEMBERED_CLIENTS: usize = 10_000;
    /// The most ended connections that are removed in one transaction.
    const PIECE: u32 = 100;

    /// Creates the use cases from their dependencies.
    pub fn new(parts: AssistantsParts) -> Self {
        Self {
            documents: KnownDocuments::default(),
            registrations: ClientLimit::new(
                Self::REGISTRATIONS_PER_MINUTE,
                Self::REMEMBERED_CLIENTS,
            ),
            failures: ClientLimit::new(Self::MAX_FAILURES_PER_MINUTE, Self::REMEMBERED_CLIENTS),
            parts,
        }
    }

    /// Removes some of the connections that can no longer be renewed, with their tokens. Returns
    /// whether more may be left. Several nodes may do this at once.
    ///
    /// # Errors
    /// The store failed.
    pub async fn remove_ended(&self) -> Result<bool, StoreError> {
        let note = self.note(Operation::TokenRevoke, Author::service());
        let store = &self.parts.store;
        let removed = store.disconnect_ended(self.now(), Self::PIECE, &note);
        let removed = removed.await?;
        Ok(removed == Self::PIECE)
    }

    /// The present moment.
    pub fn now(&self) -> UnixSeconds {
        self.parts.clock.now().second()
    }

    /// The moment so many seconds from now.
    pub(super) fn after(&self, seconds: i64) -> UnixSeconds {
        let moment = self.now().get().saturating_add(seconds);
        UnixSeconds::new(moment.min(UnixSeconds::MAX)).expect("the present plus some months")
    }

    /// The earlier of a moment and the end that a person chose.
    pub(super) fn no_later(moment: UnixSeconds, until: Option<UnixSeconds>) -> UnixSeconds {
        until.map_or(moment, |until| until.min(moment))
    }

    pub(super) fn note(&self, operation: Operation, author: Author) -> AuditNote {
        AuditNote {
            at: self.parts.clock.now(),
            author,
            operation,
            receipt: None,
        }
    }

    /// Checks the address that tokens are asked for. One that is left out is ours, and so is one
    /// with a slash at its end.
    pub(super) fn check_resource(asked: Option<&str>, own: &str) -> Result<(), AssistantError> {
        match asked {
            Some(asked) if asked.trim_end_matches('/') != own => {
                Err(AssistantError::WrongResource {
                    own: own.to_owned(),
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    pub(super) fn may_fail(&self, from: IpAddr) -> Result<(), AssistantError> {
        let network = ClientNetwork::of(from);
        Ok(self.failures.check(&(), network, self.parts.clock.now())?)
    }

    /// Counts a wrong text, and returns the error for it.
    pub(super) fn wrong(&self, from: IpAddr, reason: &'static str) -> AssistantError {
        let network = ClientNetwork::of(from);
        match self.failures.count(&(), network, self.parts.clock.now()) {
            Ok(()) => AssistantError::WrongGrant(reason),
            Err(wait) => wait.into(),
        }
    }
}
