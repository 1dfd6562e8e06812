//! Named tokens: keys that callers get beside the site token, each for some operations only.

use std::fmt;

use thiserror::Error;

use crate::UnixSeconds;

/// The name of a token: trimmed, unique, without control characters, and not `site`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenName(Box<str>);

impl TokenName {
    /// The maximum length of a name in characters.
    pub const MAX_CHARS: usize = 64;
    /// The name of the site token, which no other token may have.
    pub const SITE: &'static str = "site";
    /// The name of the operator's own commands, which no token may have.
    pub const OPERATOR: &'static str = "operator";
    /// The name of the service in the audit trail, which no token may have.
    pub const SERVICE: &'static str = "service";

    /// Trims and checks a name.
    ///
    /// # Errors
    /// The name is empty, too long, reserved, or has control characters.
    pub fn parse(text: &str) -> Result<Self, TokenNameError> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 {
            return Err(TokenNameError::Empty);
        }
        if length > Self::MAX_CHARS {
            return Err(TokenNameError::TooLong { length });
        }
        if text.chars().any(char::is_control) {
            return Err(TokenNameError::ControlCharacter);
        }
        let reserved = [Self::SITE, Self::OPERATOR, Self::SERVICE];
        if reserved.iter().any(|name| text.eq_ignore_ascii_case(name)) {
            return Err(TokenNameError::Reserved);
        }
        Ok(Self(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TokenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The reason why a text is not a name of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TokenNameError {
    /// It is empty, or only white space.
    #[error("the name is empty")]
    Empty,
    /// It is longer than [`TokenName::MAX_CHARS`].
    #[error(
        "the name has {length} characters, at most {} are allowed",
        TokenName::MAX_CHARS
    )]
    TooLong {
        /// Its length in characters.
        length: usize,
    },
    /// It has a control character, such as a line break.
    #[error("the name has a control character")]
    ControlCharacter,
    /// It is `site`, `operator` or `service`, in any case of letters.
    #[error(
        "the names site, operator and service are taken by the site token, by commands and by \
         the service itself"
    )]
    Reserved,
}

/// A group of operations that a token may permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Reads links.
    LinksRead,
    /// Makes, changes and deletes links. Answers show the links that were changed.
    LinksWrite,
    /// Reads the access log.
    AnalyticsRead,
    /// Everything, tokens included.
    Admin,
}

impl Scope {
    /// Every scope, the narrow ones first.
    pub const ALL: [Self; 4] = [
        Self::LinksRead,
        Self::LinksWrite,
        Self::AnalyticsRead,
        Self::Admin,
    ];

    /// The scope with this spelling.
    ///
    /// # Errors
    /// There is none.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        let found = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        found.ok_or_else(|| ScopeError::Unknown(text.into()))
    }

    /// The scope as it is spelled everywhere.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LinksRead => "links:read",
            Self::LinksWrite => "links:write",
            Self::AnalyticsRead => "analytics:read",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
    /// The SHA-256 digest of the secret text. The text itself is stored nowhere.
    pub digest: [u8; 32],
    /// The scopes that it permits.
    pub scopes: Scopes,
    /// The moment from which it is refused.
    pub expires_at: Option<UnixSeconds>,
    /// The moment at which it was made.
    pub created_at: UnixSeconds,
    /// A recent moment at which it was used, exact to a minute; `None` if it never was.
    pub last_used_at: Option<UnixSeconds>,
}

impl TokenRecord {
    /// Returns whether the token is refused from now on.
    pub fn is_expired(&self, now: UnixSeconds) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

/// The digest stays out of logs.
impl fmt::Debug for TokenRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenRecord")
            .field("name", &self.name)
            .field("scopes", &self.scopes)
            .field("expires_at", &self.expires_at)
            .field("created_at", &self.created_at)
            .field("last_used_at", &self.last_used_at)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_bounded() {
        assert_eq!(TokenName::parse("  CI bot ").unwrap().as_str(), "CI bot");
        assert_eq!(TokenName::parse(" "), Err(TokenNameError::Empty));
        assert!(TokenName::parse(&"ü".repeat(64)).is_ok());
        assert_eq!(
            TokenName::parse(&"x".repeat(65)),
            Err(TokenNameError::TooLong { length: 65 })
        );
        assert_eq!(
            TokenName::parse("a\nb"),
            Err(TokenNameError::ControlCharacter)
        );
        for reserved in ["site", "Site", "operator", "service"] {
            assert_eq!(TokenName::parse(reserved), Err(TokenNameError::Reserved));
        }
    }

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
