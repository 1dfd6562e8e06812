//! The records on the way from a request to a token.

use std::fmt;

use super::{ClientId, ClientName, CodeChallenge, RedirectAddress};
use crate::{Author, Reach, Scopes, TokenName, UnixSeconds};

/// An application that may ask for consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its identifier.
    pub id: ClientId,
    /// Its name, as it gives it itself.
    pub name: ClientName,
    /// The addresses to which its answers may go; at least one.
    pub redirects: Vec<RedirectAddress>,
    /// The moment at which it registered.
    pub created_at: UnixSeconds,
}

/// A person who signed in to decide about requests.
#[derive(Clone, PartialEq, Eq)]
pub struct ConsentSession {
    /// The digest of the cookie.
    pub digest: [u8; 32],
    /// The mark of the token with which the person signed in: the digest of a named one, or what
    /// the site token leaves beside the cookie.
    pub holder: [u8; 32],
    /// The moment at which it ends.
    pub ends_at: UnixSeconds,
}

/// The consent of a person, which an application exchanges for tokens once.
#[derive(Clone, PartialEq, Eq)]
pub struct ConsentCode {
    /// The digest of the code.
    pub digest: [u8; 32],
    /// The mark of the token with which the person signed in, as in [`ConsentSession`]; that of
    /// the site token stands beside the code.
    pub holder: [u8; 32],
    /// The application.
    pub client: ClientId,
    /// Its name at the moment of consent.
    pub name: ClientName,
    /// Its host at the moment of consent.
    pub host: Box<str>,
    /// The address to which the code went.
    pub redirect: RedirectAddress,
    /// The challenge that the client that exchanges the code has to meet.
    pub challenge: CodeChallenge,
    /// The scopes to which the person agreed.
    pub scopes: Scopes,
    /// The links to which the person agreed.
    pub reach: Reach,
    /// The address that the tokens open.
    pub resource: Box<str>,
    /// The moment at which the connection ends, if the person chose one.
    pub until: Option<UnixSeconds>,
    /// The moment from which the code is refused.
    pub expires_at: UnixSeconds,
    /// The person, by the token that they signed in with.
    pub author: Author,
}

/// The connection of an assistant: it renews one token again and again.
#[derive(Clone, PartialEq, Eq)]
pub struct Connection {
    /// The digest of what all refresh tokens of the connection have in common.
    pub family: [u8; 32],
    /// The digest of the refresh token that is valid now.
    pub refresh: [u8; 32],
    /// The digest of the access token that is valid now, which is that of the named token.
    pub access: [u8; 32],
    /// The digest of the code from which it came.
    pub code: [u8; 32],
    /// The application that may renew it.
    pub client: ClientId,
    /// The moment at which it ends, if the person chose one.
    pub until: Option<UnixSeconds>,
    /// The name of the token.
    pub token: TokenName,
    /// The scopes that the person granted. The token may have fewer until it is renewed.
    pub scopes: Scopes,
    /// The address that the token opens.
    pub resource: Box<str>,
    /// The moment from which it cannot be renewed any more.
    pub ends_at: UnixSeconds,
}

/// A text by which a connection is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ConnectionKey {
    /// The digest of the code from which it came.
    Code([u8; 32]),
    /// The digest of what its refresh tokens have in common.
    Family([u8; 32]),
    /// The digest of its access token, or of the one before.
    Access([u8; 32]),
}

/// The outcome of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connected {
    /// The token is stored, and the code is used up.
    Done,
    /// There is no such code any more. Nothing is stored.
    CodeGone,
    /// Another token has the name. Nothing is stored, and the code can be used.
    NameTaken,
}

/// New texts for a connection.
#[derive(Clone, PartialEq, Eq)]
pub struct Renewal {
    /// The digest of what its refresh tokens have in common.
    pub family: [u8; 32],
    /// The digest of the refresh token that is valid so far.
    pub spent: [u8; 32],
    /// The digest of the refresh token that is valid from now on.
    pub refresh: [u8; 32],
    /// The digest of the access token that is valid so far.
    pub former_access: [u8; 32],
    /// The digest of the access token that is valid from now on.
    pub access: [u8; 32],
    /// The scopes of that access token.
    pub scopes: Scopes,
    /// The moment from which that access token is refused.
    pub access_ends_at: UnixSeconds,
    /// The moment from which the connection cannot be renewed any more.
    pub ends_at: UnixSeconds,
}

/// Digests stay out of the log output.
macro_rules! without_digests {
    ($($name:ident { $($member:ident),* })*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut shown = f.debug_struct(stringify!($name));
                $(shown.field(stringify!($member), &self.$member);)*
                shown.finish_non_exhaustive()
            }
        }
    )*};
}

without_digests! {
    ConsentSession { ends_at }
    ConsentCode { client, redirect, scopes, reach, resource, until, expires_at, author }
    Connection { token, client, until, ends_at }
    Renewal { scopes, access_ends_at, ends_at }
}

impl fmt::Debug for ConnectionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Code(_) => "Code(…)",
            Self::Family(_) => "Family(…)",
            Self::Access(_) => "Access(…)",
        })
    }
}
