//! The service of assistants: its dependencies, the errors that applications get, and the documents
//! of applications that were fetched.

use std::{
    collections::VecDeque,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use quick_cache::sync::Cache;
use slugline_domain::{
    AuditNote, AuditedOperation, Author, UnixMillis, UnixSeconds,
    assistants::{
        AssistantStore, Client, ClientDocuments, ClientId, ClientIdError, ClientNameError,
        RedirectAddressError,
    },
    origin::is_same_address,
    ports::{Clock, Random, StoreError, TokenStore},
};
use thiserror::Error;

use crate::{
    attempts::{ClientLimit, FailureLimit, SecretLimit, TooManyAttempts},
    auth::Authenticator,
    tokens::Tokens,
};

/// The use cases of assistants.
#[derive(Debug)]
pub struct Assistants {
    pub(super) parts: AssistantsParts,
    pub(super) documents: KnownDocuments,
    /// Registrations, which any client may make.
    pub(super) registrations: ClientLimit<()>,
    /// Those of all networks together.
    pub(super) all_registrations: FailureLimit<()>,
    /// Wrong codes and tokens. Right ones pass however many wrong ones came before: the servers of
    /// an assistant's maker call for many people, and strangers can have them send wrong ones.
    wrong: SecretLimit,
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
    /// Seconds for which a person who signed in may decide.
    pub const SESSION_SECONDS: i64 = 600;
    /// Registrations that a client network may make in a minute. Connector dialogs come from a few
    /// networks, so fewer would keep people out.
    pub const REGISTRATIONS_PER_MINUTE: u32 = 30;
    /// Registrations that all networks together may make in a minute, on each node.
    pub const ALL_REGISTRATIONS_PER_MINUTE: u32 = 300;
    /// The most applications that are kept although no person ever consented to them.
    pub const MOST_WITHOUT_CONSENT: u32 = 1_000;
    /// Seconds for which no later registration removes an application: its person is connecting.
    pub const SPARED_SECONDS: i64 = 600;
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
            all_registrations: FailureLimit::new(Self::ALL_REGISTRATIONS_PER_MINUTE, 1),
            wrong: SecretLimit::new(),
            parts,
        }
    }

    /// Removes some of the connections that can no longer be renewed, with their tokens. Returns
    /// whether more may be left. Several nodes may do this at once.
    ///
    /// # Errors
    /// The store failed.
    pub async fn remove_ended(&self) -> Result<bool, StoreError> {
        let note = self.note(AuditedOperation::TokenRevoke, &Author::service());
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

    pub(super) fn note(&self, operation: AuditedOperation, author: &Author) -> AuditNote {
        AuditNote::new(self.parts.clock.now(), author, operation)
    }

    /// Checks the address that tokens are asked for. One that is left out is ours.
    pub(super) fn check_resource(asked: Option<&str>, own: &str) -> Result<(), AssistantError> {
        if asked.is_none_or(|asked| is_same_address(asked, own)) {
            return Ok(());
        }
        let own = own.to_owned();
        Err(AssistantError::WrongResource { own })
    }

    /// Checks that the database may be asked about a text that has the form of a right one.
    pub(super) fn may_look(&self, from: IpAddr) -> Result<(), AssistantError> {
        Ok(self.wrong.may_look(from, self.parts.clock.now())?)
    }

    /// Counts a wrong text, and returns the error for it.
    pub(super) fn wrong(&self, from: IpAddr, reason: &'static str) -> AssistantError {
        match self.wrong.count(from, self.parts.clock.now()) {
            Ok(()) => AssistantError::WrongGrant(reason),
            Err(wait) => wait.into(),
        }
    }
}

/// The reason why an application does not get what it asks for. The texts are for its developers.
#[derive(Debug, Error)]
pub enum AssistantError {
    /// A parameter is missing, or has another form than the standard gives it.
    #[error("{parameter} {expected}")]
    Parameter {
        /// The parameter.
        parameter: &'static str,
        /// The end of a sentence that begins with the parameter: "is missing", "must be S256".
        expected: &'static str,
    },
    /// A request asks for another kind of answer than a code.
    #[error("response_type must be code")]
    ResponseType,
    /// The identifier has the form of none.
    #[error(transparent)]
    ClientId(#[from] ClientIdError),
    /// No application has the identifier.
    #[error("no client has this client_id; register again")]
    UnknownClient,
    /// The document in which the application describes itself is of no use.
    #[error("the client_id cannot be used: {0}")]
    Document(String),
    /// The address is none that the application registered. Nothing is sent there.
    #[error("redirect_uri is not one that the client registered")]
    ForeignRedirect,
    /// An address of a new application cannot be used.
    #[error("redirect_uris: {address} {reason}")]
    Redirect {
        /// The address.
        address: String,
        /// The reason: the rest of a sentence about the address.
        reason: RedirectAddressError,
    },
    /// A new application has no address, or too many.
    #[error("redirect_uris must have 1 to {most} addresses")]
    RedirectCount {
        /// The most addresses.
        most: usize,
    },
    /// The name of an application cannot be shown.
    #[error("client_name: {0}")]
    Name(#[from] ClientNameError),
    /// Nothing is left of the scopes.
    #[error("scope must have at least one of links:read, links:write and analytics:read")]
    Scope,
    /// More is asked for than the person gave.
    #[error("scope goes beyond what was granted")]
    ScopeNotGranted,
    /// The tokens would be for another address.
    #[error("resource must be {own}")]
    WrongResource {
        /// The only address that tokens open.
        own: String,
    },
    /// The code or the refresh token is wrong, spent or over, or belongs to another application.
    #[error("{0}")]
    WrongGrant(&'static str),
    /// The client's network asked too often.
    #[error(transparent)]
    TooMany(#[from] TooManyAttempts),
    /// The store failed.
    #[error("the database cannot be reached")]
    Store(#[from] StoreError),
}

/// Documents that were fetched, and when.
#[derive(Debug)]
pub(super) struct KnownDocuments {
    known: Cache<ClientId, Arc<Known>>,
    fetches: Mutex<VecDeque<UnixMillis>>,
}

#[derive(Debug)]
struct Known {
    client: Client,
    stale_at: i64,
}

impl Default for KnownDocuments {
    fn default() -> Self {
        Self {
            known: Cache::new(Self::REMEMBERED),
            fetches: Mutex::default(),
        }
    }
}

impl KnownDocuments {
    const REMEMBERED: usize = 100;
    const FETCHES_PER_HOUR: usize = 60;
    const HOUR_MS: i64 = 3_600_000;
    /// The longest time for which a document is kept, whatever it says.
    const LONGEST: Duration = Duration::from_hours(24);
    /// The time for one that says nothing: a person who asks again after a mistake of the
    /// application's developer does not wait long.
    const UNSAID: Duration = Duration::from_mins(5);

    pub(super) fn fresh(&self, id: &ClientId, now: UnixMillis) -> Option<Client> {
        let known = self.known.get(id)?;
        (now.get() < known.stale_at).then(|| known.client.clone())
    }

    pub(super) fn keep(&self, client: &Client, fresh_for: Option<Duration>, now: UnixMillis) {
        let life = fresh_for.unwrap_or(Self::UNSAID).min(Self::LONGEST);
        let life = i64::try_from(life.as_millis()).expect("a day at most");
        let known = Known {
            client: client.clone(),
            stale_at: now.get().saturating_add(life),
        };
        self.known.insert(client.id.clone(), Arc::new(known));
    }

    /// Counts a fetch. Returns false if there were too many in the last hour.
    pub(super) fn may_fetch(&self, now: UnixMillis) -> bool {
        let mut fetches = self.fetches.lock().unwrap_or_else(PoisonError::into_inner);
        while fetches
            .front()
            .is_some_and(|at| now.get() - at.get() >= Self::HOUR_MS)
        {
            fetches.pop_front();
        }
        let may = fetches.len() < Self::FETCHES_PER_HOUR;
        if may {
            fetches.push_back(now);
        }
        may
    }
}
