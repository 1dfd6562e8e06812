//! Named tokens: keys that callers get beside the site token, each for some operations only.

use std::fmt;

use thiserror::Error;

use crate::{Reach, TokenName, UnixSeconds, assistants::Assistant};

named_values! {
    /// A group of operations that a token may permit, the narrow ones first.
    pub enum Scope {
        /// Reads links.
        LinksRead = "links:read",
        /// Makes, changes and deletes links. Without [`Scope::LinksRead`] answers show no more of a
        /// link than the caller wrote.
        LinksWrite = "links:write",
        /// Reads the access log.
        AnalyticsRead = "analytics:read",
        /// Everything, tokens included.
        Admin = "admin",
    }
}

text_form!(Scope: Display, FromStr<ScopeError>);

impl Scope {
    /// The scope with this spelling.
    ///
    /// # Errors
    /// There is none.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        Self::named(text).ok_or_else(|| ScopeError::Unknown(text.into()))
    }
}

/// The reason why texts are not scopes of a token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScopeError {
    /// There is no scope at all.
    #[error("a token needs at least one scope")]
    None,
    /// No scope has this spelling.
    #[error(
        "{0:?} is not a scope; the scopes are links:read, links:write, analytics:read and admin"
    )]
    Unknown(Box<str>),
}

/// The scopes of a token: at least one, each once, the narrow ones first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Sorts the scopes and drops repeated ones.
    ///
    /// # Errors
    /// There are none.
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Result<Self, ScopeError> {
        let mut scopes: Vec<Scope> = scopes.into_iter().collect();
        scopes.sort();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(ScopeError::None);
        }
        Ok(Self(scopes))
    }

    /// Returns whether these scopes permit what needs this one; [`Scope::Admin`] permits all.
    pub fn permit(&self, needed: Scope) -> bool {
        self.0.contains(&needed) || self.0.contains(&Scope::Admin)
    }

    /// The scopes in order.
    pub fn iter(&self) -> impl Iterator<Item = Scope> {
        self.0.iter().copied()
    }
}

/// A named token as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its name.
    pub name: TokenName,
    /// The digest of the secret text. The text itself is stored nowhere.
    pub digest: [u8; 32],
    /// The scopes that it permits.
    pub scopes: Scopes,
    /// The links for which it permits them.
    pub reach: Reach,
    /// The moment from which it is refused.
    pub expires_at: Option<UnixSeconds>,
    /// The moment at which it was made.
    pub created_at: UnixSeconds,
    /// A recent moment at which it was used, exact to a minute; `None` if it never was.
    pub last_used_at: Option<UnixSeconds>,
    /// The assistant that it belongs to; `None` for a token that a person made.
    pub assistant: Option<Assistant>,
}

impl TokenRecord {
    /// Returns whether the token is refused from now on.
    pub fn is_expired(&self, now: UnixSeconds) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// The moment at which it ends for those who list it. An assistant renews its token until then.
    pub fn ends_at(&self) -> Option<UnixSeconds> {
        let assistant = self.assistant.as_ref();
        assistant.map_or(self.expires_at, |assistant| Some(assistant.ends_at))
    }
}

/// The digest stays out of the log output.
impl fmt::Debug for TokenRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenRecord")
            .field("name", &self.name)
            .field("scopes", &self.scopes)
            .field("reach", &self.reach)
            .field("expires_at", &self.expires_at)
            .field("created_at", &self.created_at)
            .field("last_used_at", &self.last_used_at)
            .field("assistant", &self.assistant)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_spelled_one_way() {
        for scope in Scope::ALL {
            assert_eq!(Scope::parse(scope.as_str()), Ok(scope));
        }
        assert!(Scope::parse("links").is_err());
        assert!(Scope::parse("Admin").is_err());
    }

    #[test]
    fn only_admin_permits_more_than_itself() {
        for held in Scope::ALL {
            let scopes = Scopes::new([held]).unwrap();
            for needed in Scope::ALL {
                let expected = held == needed || held == Scope::Admin;
                assert_eq!(scopes.permit(needed), expected, "{held} for {needed}");
            }
        }
        assert_eq!(Scopes::new([]), Err(ScopeError::None));
    }

    #[test]
    fn scopes_are_sorted_and_each_is_there_once() {
        let scopes = Scopes::new([Scope::Admin, Scope::LinksRead, Scope::Admin]).unwrap();
        let order: Vec<Scope> = scopes.iter().collect();
        assert_eq!(order, [Scope::LinksRead, Scope::Admin]);
    }
}
