//! The callers of use cases, and what each may do and see.

use std::sync::Arc;

use slugline_domain::{
    Author, CallerName, ClientTag, Link, LinkKey, Reach, Revision, Scope, TokenName, TokenRecord,
};
use thiserror::Error;

/// The party that calls a use case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The holder of the site token, who may do everything.
    Site,
    /// The holder of a named token.
    Token(Arc<TokenRecord>),
    /// The operator, by a command on the machine, who may do everything.
    Operator,
}

impl Caller {
    /// The token's name, or `site` or `operator`.
    pub fn name(&self) -> &str {
        match self {
            Self::Site => TokenName::SITE,
            Self::Token(record) => record.name.as_str(),
            Self::Operator => TokenName::OPERATOR,
        }
    }

    /// Tells this caller from every other one, also from one whose token has the name of a token
    /// that was revoked.
    pub(crate) fn identity(&self) -> String {
        match self {
            Self::Site | Self::Operator => self.name().to_owned(),
            Self::Token(record) => format!("{} {}", record.name, record.created_at.get()),
        }
    }

    /// The author of the caller's changes in the audit trail, and the network of the request.
    ///
    /// # Panics
    /// Never: each name of a caller is a valid one.
    pub fn author(&self, client: ClientTag) -> Author {
        Author {
            caller: CallerName::parse(self.name()).expect("a token's name is a caller's name"),
            client: Some(client),
        }
    }

    /// The name of the caller's token, if it is a named one. Only those have budgets.
    pub(crate) fn token(&self) -> Option<&TokenName> {
        match self {
            Self::Token(record) => Some(&record.name),
            Self::Site | Self::Operator => None,
        }
    }

    /// Returns whether the caller is an assistant, which can ask a person for more scopes.
    pub fn is_assistant(&self) -> bool {
        matches!(self, Self::Token(record) if record.assistant.is_some())
    }

    /// The links that the caller may see and change.
    pub fn reach(&self) -> &Reach {
        match self {
            Self::Site | Self::Operator => &Reach::Everything,
            Self::Token(record) => &record.reach,
        }
    }

    /// Checks that the caller may do what needs this scope.
    ///
    /// # Errors
    /// The caller's token lacks the scope.
    pub fn may(&self, scope: Scope) -> Result<(), MissingScope> {
        match self {
            Self::Site | Self::Operator => Ok(()),
            Self::Token(record) if record.scopes.permit(scope) => Ok(()),
            Self::Token(record) => Err(MissingScope {
                token: record.name.clone(),
                scope,
            }),
        }
    }
}

/// The part of a budget that a token has used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// Too many questions to the access log wait.
    Questions,
    /// An export is being sent.
    Exports,
    /// Visits are being watched.
    Watches,
}

/// The token does not permit the operation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the token {token} lacks the scope {scope}")]
pub struct MissingScope {
    /// The name of the token.
    pub token: TokenName,
    /// The scope that the operation needs.
    pub scope: Scope,
}

/// A link in the answer to a change, as far as the caller may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenLink {
    /// All of it, and a note for its author if it asks what nothing tells.
    Whole(Box<Link>, Option<&'static str>),
    /// Only its key and revision, because the caller may not read links.
    Key(LinkKey, Revision),
}

impl SeenLink {
    /// The link; `None` if the caller may not see all of it.
    pub fn whole(&self) -> Option<&Link> {
        match self {
            Self::Whole(link, _) => Some(link),
            Self::Key(..) => None,
        }
    }

    /// The note for the author.
    pub fn note(&self) -> Option<&'static str> {
        match self {
            Self::Whole(_, note) => *note,
            Self::Key(..) => None,
        }
    }

    /// The key.
    pub fn key(&self) -> &LinkKey {
        match self {
            Self::Whole(link, _) => &link.key,
            Self::Key(key, _) => key,
        }
    }

    /// The revision.
    pub fn revision(&self) -> Revision {
        match self {
            Self::Whole(link, _) => link.revision,
            Self::Key(_, revision) => *revision,
        }
    }
}
