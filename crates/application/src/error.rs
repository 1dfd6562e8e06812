//! The errors of use cases.

use std::{num::NonZeroU32, time::Duration};

use slugline_domain::{
    BindingError, DomainName, DomainSet, ForwardingFault, Host, LifeFault, LinkId, LinkKey,
    OutOfReach, Slug, TagsError, TokenName, UnixSeconds,
    ports::{OldStoreError, StoreError, VisitLogError},
};
use thiserror::Error;

use crate::{
    access::Forbidden,
    caller::{Excess, MissingScope, SeenLink},
    hashing::HashError,
};

/// The reason why a use case failed. It knows no transport: the contract maps each kind
/// to a status and a code, once.
#[derive(Debug, Error)]
pub enum Error {
    /// A new link would already be expired.
    #[error("expiration {expires_at} is not after the present, {now}", expires_at = expires_at.get(), now = now.get())]
    ExpiryNotInFuture {
        /// The requested expiry.
        expires_at: UnixSeconds,
        /// The moment of the request.
        now: UnixSeconds,
    },
    /// Members of a link contradict one another.
    #[error(transparent)]
    Life(#[from] LifeFault),
    /// A link cannot pass on what stands behind its slug.
    #[error(transparent)]
    Forwarding(#[from] ForwardingFault),
    /// No link has this slug.
    #[error("no link has the slug {0}")]
    LinkNotFound(String),
    /// No link has this identifier, and none in the trash had it.
    #[error("no link has the id {0}")]
    IdNotFound(LinkId),
    /// A version of a link cannot be brought back as it is.
    #[error(transparent)]
    Restore(#[from] RestoreFault),
    /// The host of this domain is not named.
    #[error("no domain has the host {0}")]
    NoDomain(Host),
    /// No domain has the host that was to be shown, edited or taken away.
    #[error("there is no domain {0}")]
    DomainNotFound(Host),
    /// The host is named already.
    #[error("the domain {0} exists")]
    DomainExists(Host),
    /// The instance uses the host in another way.
    #[error("the host {host} is the instance's own")]
    OwnHost {
        /// The host.
        host: Host,
        /// Its use.
        own: OwnHost,
    },
    /// There are as many named domains as there may be.
    #[error("there are {} named domains, and no more are allowed", DomainSet::MAX)]
    TooManyDomains,
    /// A domain with links was to be taken away.
    #[error("the domain {host} has {links} links")]
    DomainHasLinks {
        /// The host.
        host: Host,
        /// The number of its links.
        links: u64,
    },
    /// Links were to be moved to a domain whose links have some of the slugs.
    #[error("links of one domain have slugs of another")]
    SlugsTaken {
        /// The domain of the links.
        from: DomainName,
        /// The domain that they were to be moved to.
        to: DomainName,
        /// The first of the slugs.
        slugs: Vec<Slug>,
    },
    /// An active link already has this key.
    #[error("a link with the slug {key} exists")]
    SlugTaken {
        /// The key.
        key: LinkKey,
        /// A similar key that no link has, if one was found.
        free: Option<LinkKey>,
    },
    /// Another caller changed or replaced the link at the same time.
    #[error("the link with the slug {0} was changed by somebody else")]
    Outdated(LinkKey),
    /// The link is not a version that the change is meant for.
    #[error("the link with the slug {key} is another version than the change was meant for")]
    PreconditionFailed {
        /// The key.
        key: LinkKey,
        /// The current link, as far as the caller may see it; absent if there is none.
        current: Option<SeenLink>,
    },
    /// Broken destinations were asked for where no node watches destinations.
    #[error("this instance does not watch destinations")]
    NotWatching,
    /// A link would have too many tags.
    #[error("a link would have too many tags")]
    TooManyTags(#[from] TagsError),
    /// Another link already has this identifier.
    #[error("a link with the id {0} exists")]
    IdTaken(LinkId),
    /// The tags of a query have more links than a query can name.
    #[error("the tags have more than {max} links")]
    TooManyTagged {
        /// The most links that a query can name.
        max: u32,
    },
    /// The instance is in preview mode, which forbids this.
    #[error("preview mode forbids this")]
    PreviewMode(Forbidden),
    /// The caller's token does not permit this.
    #[error(transparent)]
    MissingScope(#[from] MissingScope),
    /// The caller's token is bound to some links, and the change would leave them.
    #[error(transparent)]
    OutOfReach(#[from] OutOfReach),
    /// A token that permits everything would be bound to some links.
    #[error("a token with the scope admin cannot be bound to links")]
    AdminBound,
    /// A new token would be bound to too many links or tags.
    #[error(transparent)]
    Binding(#[from] BindingError),
    /// A new token would be bound to a link that is not there.
    #[error("no link has the slug {0}, to which a token was to be bound")]
    BoundToNoLink(LinkKey),
    /// A new token would already be expired.
    #[error("expiry {expires_at} is not after the present, {now}", expires_at = expires_at.get(), now = now.get())]
    TokenExpiryNotInFuture {
        /// The requested expiry.
        expires_at: UnixSeconds,
        /// The moment of the request.
        now: UnixSeconds,
    },
    /// Another token has the name.
    #[error("a token with the name {0} exists")]
    TokenNameTaken(TokenName),
    /// The name of another token looks like the name.
    #[error("the name {name} looks like the name {other} of another token")]
    TokenNameResembles {
        /// The requested name.
        name: TokenName,
        /// The name of the other token.
        other: TokenName,
    },
    /// No token has the name.
    #[error("no token has the name {0}")]
    TokenNotFound(TokenName),
    /// Links are still in an older instance's store.
    #[error("links have to be moved here first")]
    MigrationRequired,
    /// The migration did not issue the cursor.
    #[error("the migration gave out no such cursor")]
    MigrationCursor,
    /// Another run of the migration has begun since the cursor was issued.
    #[error("the run of the migration is over")]
    MigrationRunGone,
    /// The page has already been moved, perhaps by another caller.
    #[error("the page of the migration is done")]
    MigrationPageDone,
    /// The old link store failed.
    #[error("the old link store cannot be read")]
    OldStore(#[from] OldStoreError),
    /// The key of a request belongs to another request of the same token.
    #[error("the key belongs to another request")]
    KeyReused,
    /// The same request made a link before, which was deleted since, or is out of the caller's reach.
    #[error("the link that the request made was deleted")]
    LinkDeleted,
    /// The link store failed.
    #[error("links cannot be read or written")]
    Store(#[from] StoreError),
    /// The access log failed.
    #[error("the access log cannot be read")]
    VisitLog(#[from] VisitLogError),
    /// The access log could not erase visits.
    #[error("visits cannot be erased")]
    Erasure(#[source] VisitLogError),
    /// The caller's token has used up part of its budget, and must wait for its own requests.
    #[error("the token is busy")]
    TokenBusy(Excess),
    /// The caller's token has written too often.
    #[error("the token wrote more than {per_minute} times a minute")]
    TooManyWrites {
        /// The writes that a token has in a minute.
        per_minute: NonZeroU32,
        /// The time until the token may write again.
        retry_after: Duration,
    },
    /// The maximum number of watchers is reached, or the service is about to stop.
    #[error("too many watch visits")]
    TooManyWatchers,
    /// Hashing a password failed.
    #[error("the password cannot be hashed")]
    Password(#[from] HashError),
}

impl Error {
    /// The host of this key's domain is not named.
    ///
    /// # Panics
    /// The key is one of the default domain, which needs no name.
    pub(crate) fn no_domain(key: &LinkKey) -> Self {
        let host = key.domain.host().cloned();
        Self::NoDomain(host.expect("the default domain is always there"))
    }
}

/// The reason why a version cannot be brought back as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RestoreFault {
    /// No such version is kept.
    #[error("no such version is kept")]
    NoVersion,
    /// The expiry of the version has passed.
    #[error("the version expired at {}", .0.get())]
    Expired(UnixSeconds),
    /// The link is there, and has its slug.
    #[error("the link is there and keeps the slug {0}")]
    KeepsKey(LinkKey),
    /// The link is there, and stays in its domain.
    #[error("the link {0} is there and stays in its domain")]
    KeepsDomain(LinkKey),
    /// The version does not suit the key that the link has.
    #[error("the version does not suit the link: {0}")]
    WrongVersion(ForwardingFault),
    /// The version does not suit the key to which the deleted link would come back.
    #[error("the link cannot have this slug: {0}")]
    WrongKey(ForwardingFault),
    /// The domain of the deleted link was taken away.
    #[error("nobody has named the domain {0}")]
    NoDomain(DomainName),
}

/// The use of a host that cannot be the name of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnHost {
    /// The public address has it, so it is the default domain's.
    Public,
    /// Only the API and the dashboard answer on it.
    Admin,
}
