//! The key of a link: its domain and its slug.

use std::{fmt, str::FromStr};

use thiserror::Error;

use crate::{Host, HostError, Slug, SlugError};

/// The domain that a link belongs to: the default one, which has no name, or a named host.
///
/// The default domain comes first in order. A clone is cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainName(Option<Host>);

impl DomainName {
    /// The domain of every host that no operator named.
    pub const DEFAULT: Self = Self(None);

    /// The domain of a named host.
    pub const fn named(host: Host) -> Self {
        Self(Some(host))
    }

    /// Reads the name as a store keeps it: empty for the default domain.
    ///
    /// # Errors
    /// The text is neither empty nor the name of a host.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        if text.is_empty() {
            return Ok(Self::DEFAULT);
        }
        Host::parse(text).map(Self::named)
    }

    /// The host; `None` for the default domain.
    pub fn host(&self) -> Option<&Host> {
        self.0.as_ref()
    }

    /// Returns whether this is the default domain.
    pub fn is_default(&self) -> bool {
        self.0.is_none()
    }

    /// The name of the host; empty for the default domain.
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", Host::as_str)
    }
}

/// The key of a link: no two links have both the same domain and the same slug.
///
/// Its text is the slug in the default domain, and `go.example/promo` in a named one. A slug holds
/// no slash, so no text is that of two keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkKey {
    /// The domain.
    pub domain: DomainName,
    /// The slug, unique in its domain.
    pub slug: Slug,
}

impl LinkKey {
    /// The key of a link in a domain.
    pub const fn new(domain: DomainName, slug: Slug) -> Self {
        Self { domain, slug }
    }

    /// Reads the text of a key.
    ///
    /// # Errors
    /// The slug or the host before the slash is not a valid one.
    pub fn parse(text: &str) -> Result<Self, LinkKeyError> {
        let (host, slug) = split_key(text);
        let domain = match host {
            "" => DomainName::DEFAULT,
            host => DomainName::named(Host::parse(host)?),
        };
        let slug = Slug::parse(slug)?;
        Ok(Self { domain, slug })
    }
}

/// The host and the slug in the text of a key; the host is empty in the default domain.
pub fn split_key(text: &str) -> (&str, &str) {
    text.split_once('/').unwrap_or(("", text))
}

/// A link of the default domain.
impl From<Slug> for LinkKey {
    fn from(slug: Slug) -> Self {
        Self::new(DomainName::DEFAULT, slug)
    }
}

impl fmt::Display for DomainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for LinkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(host) = self.domain.host() {
            f.write_str(host.as_str())?;
            f.write_str("/")?;
        }
        f.write_str(self.slug.as_str())
    }
}

impl FromStr for LinkKey {
    type Err = LinkKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

/// The reason why a text is not the key of a link.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkKeyError {
    /// The part before the slash is not the name of a host.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The rest is not a slug.
    #[error(transparent)]
    Slug(#[from] SlugError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_key_names_a_domain_that_has_a_name() {
        for text in ["promo", "go.example/promo", "xn--bcher-kva.example/A_b"] {
            assert_eq!(LinkKey::parse(text).unwrap().to_string(), text);
        }
        let key = LinkKey::parse("go.example/promo").unwrap();
        assert_eq!(key.domain.as_str(), "go.example");
        assert_eq!(key.slug.as_str(), "promo");
        for wrong in ["", "a b", "go.example/", "go.example/a/b", "a b/c"] {
            assert!(LinkKey::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_default_domain_comes_first() {
        let named = DomainName::parse("a.example").unwrap();
        assert!(DomainName::DEFAULT < named);
        assert!(DomainName::parse("").unwrap().is_default());
        assert_eq!(DomainName::DEFAULT.as_str(), "");
    }
}
