//! Names of hosts.

use std::sync::Arc;

use thiserror::Error;

use crate::text::trimmed;

/// The name of a host as a browser sends it: in lower case, in ASCII (IDNA, UTS 46), without a
/// port and without the dot that ends a complete name. A clone is cheap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host(Arc<str>);

text_form!(Host: as_str, Display, FromStr<HostError>);

impl Host {
    /// The longest name in characters (RFC 1035, section 2.3.4, without the final dot).
    pub const MAX_CHARS: usize = 253;

    /// Reads the name of a host, as an address, a `Host` header or a person writes it. Leaves out
    /// a port, white space and invisible characters at both ends, and a final dot.
    ///
    /// # Errors
    /// The text is empty or is no name of a host, such as an address with a path.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let name = without_port(trimmed(text));
        if name.is_empty() {
            return Err(HostError::Empty);
        }
        Self::of(&url::Host::parse(name).map_err(|_| HostError::Malformed)?)
    }

    /// Reads the host of an address that was parsed.
    pub(crate) fn of<S: AsRef<str>>(host: &url::Host<S>) -> Result<Self, HostError> {
        // Browsers also accept characters that no certificate and no name server knows.
        if let url::Host::Domain(name) = host
            && !name
                .as_ref()
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
        {
            return Err(HostError::Malformed);
        }
        let name = host.to_string();
        let name = name.strip_suffix('.').unwrap_or(&name);
        if name.is_empty() || name.len() > Self::MAX_CHARS {
            return Err(HostError::Malformed);
        }
        Ok(Self(name.into()))
    }
}

/// The part of an authority before its port. IPv6 addresses stand in brackets.
pub fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port))
            if !name.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        Some(_) | None => authority,
    }
}

/// The reason why a text is not the name of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    /// Nothing but white space, or only a port.
    #[error("the name of the host is empty")]
    Empty,
    /// It has a character that no host has, or is too long.
    #[error("this is not the name of a host, such as go.example.com, without https:// and a path")]
    Malformed,
}

/// The origin of another host of the service that is below this address: with the same scheme and port.
pub fn origin_of_host(base: &str, host: &str) -> String {
    let (scheme, behind) = base.split_once("://").unwrap_or(("https", base));
    let authority = behind.split('/').next().unwrap_or_default();
    let port = &authority[without_port(authority).len()..];
    format!("{scheme}://{host}{port}")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("go.example", "go.example")]
    #[case(" GO.Example. ", "go.example")]
    #[case("\u{200e}go.example\u{200b}", "go.example")]
    #[case("go.example:8443", "go.example")]
    #[case("go.example.:80", "go.example")]
    #[case("bücher.example", "xn--bcher-kva.example")]
    #[case("BÜCHER。example", "xn--bcher-kva.example")]
    #[case("127.0.0.1:8080", "127.0.0.1")]
    #[case("[::1]:80", "[::1]")]
    #[case("localhost", "localhost")]
    fn one_host_has_one_spelling(#[case] text: &str, #[case] name: &str) {
        assert_eq!(Host::parse(text).unwrap().as_str(), name);
    }

    #[rstest]
    #[case("")]
    #[case(" ")]
    #[case(":80")]
    #[case("https://go.example")]
    #[case("go.example/docs")]
    #[case("go example")]
    #[case("*")]
    #[case("a@b.example")]
    #[case(".")]
    fn other_texts_are_refused(#[case] text: &str) {
        assert!(Host::parse(text).is_err(), "{text:?}");
    }
}
