//! The addresses to which the answer to a request for consent goes.

use std::{fmt, net::IpAddr};

use thiserror::Error;
use url::{Host, Url};

/// An address to which browsers are sent with the answer: `https`, or `http` on the person's own
/// machine. It is kept as it was registered, because addresses are compared exactly (RFC 9700,
/// section 2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectAddress {
    text: Box<str>,
    url: Url,
}

impl RedirectAddress {
    /// The most bytes of an address. With [`Self::MAX_COUNT`] it bounds what a stranger stores.
    pub const MAX_BYTES: usize = 512;
    /// The most addresses of one application.
    pub const MAX_COUNT: usize = 16;

    /// Checks an address.
    ///
    /// # Errors
    /// It is no URL in visible ASCII, too long, has another scheme than `https`, or than `http` for
    /// `localhost` and loopback addresses, or has a `*` in its host, a fragment or user information.
    pub fn parse(text: &str) -> Result<Self, RedirectAddressError> {
        if text.len() > Self::MAX_BYTES {
            return Err(RedirectAddressError::TooLong);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(RedirectAddressError::NoUrl);
        }
        let url = Url::parse(text).map_err(|_| RedirectAddressError::NoUrl)?;
        if url.host_str().is_some_and(|host| host.contains('*')) {
            return Err(RedirectAddressError::Wildcard);
        }
        if url.fragment().is_some() {
            return Err(RedirectAddressError::Fragment);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RedirectAddressError::UserInfo);
        }
        let allowed = match url.scheme() {
            "https" => url.host().is_some(),
            "http" => is_this_machine(&url),
            _ => false,
        };
        if !allowed {
            return Err(RedirectAddressError::Scheme);
        }
        Ok(Self {
            text: text.into(),
            url,
        })
    }

    /// The address as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host, with the port if it is not the usual one.
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The host without the port.
    pub fn host_name(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns whether the answer stays on the machine of the person. Any program there may
    /// have asked.
    pub fn is_loopback(&self) -> bool {
        is_this_machine(&self.url)
    }

    /// Returns whether a request may name this address if the other one was registered: they are
    /// the same text, or differ in the port of a loopback address (RFC 8252, section 7.3).
    pub fn is_covered_by(&self, registered: &Self) -> bool {
        if self.text == registered.text {
            return true;
        }
        let of_program = |address: &Self| address.url.scheme() == "http" && address.is_loopback();
        of_program(self)
            && of_program(registered)
            && portless(&self.url) == portless(&registered.url)
    }

    /// The address with parameters added to its query.
    pub fn with_parameters<'a>(
        &self,
        parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> String {
        let mut url = self.url.clone();
        url.query_pairs_mut().extend_pairs(parameters);
        url.into()
    }
}

impl fmt::Display for RedirectAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn portless(url: &Url) -> Option<Url> {
    let mut url = url.clone();
    url.set_port(None).ok()?;
    Some(url)
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        None => false,
    }
}

/// The reason why a text is not an address to which answers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RedirectAddressError {
    /// It is no URL, or has characters that URLs encode.
    #[error("is not a URL")]
    NoUrl,
    /// It is longer than [`RedirectAddress::MAX_BYTES`].
    #[error("has more than {} bytes", RedirectAddress::MAX_BYTES)]
    TooLong,
    /// Its host has a `*`, which stands for nothing here.
    #[error("has a * in its host, but addresses are compared exactly")]
    Wildcard,
    /// It has a fragment (RFC 6749, section 3.1.2).
    #[error("has a fragment")]
    Fragment,
    /// It has a user name or a password.
    #[error("has user information")]
    UserInfo,
    /// It is neither `https` nor `http` on the person's own machine.
    #[error("is neither https nor http on localhost or a loopback address")]
    Scheme,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> RedirectAddress {
        RedirectAddress::parse(text).unwrap()
    }

    #[test]
    fn answers_go_to_https_or_stay_on_the_machine() {
        use RedirectAddressError::{Fragment, NoUrl, Scheme, TooLong, UserInfo, Wildcard};

        for text in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://claude.ai",
            "https://e.example:8443/cb?x=1",
            &format!("https://e.example/{}", "x".repeat(494)),
            "http://localhost/callback",
            "http://127.0.0.1:33418/",
            "http://[::1]:1/",
        ] {
            assert_eq!(address(text).as_str(), text);
        }
        for (text, error) in [
            ("http://claude.ai/", Scheme),
            ("http://localhost.evil.example/", Scheme),
            ("http://127.0.0.1.evil.example/", Scheme),
            ("cursor://callback", Scheme),
            ("javascript:alert(1)", Scheme),
            ("data:text/html,x", Scheme),
            ("https://*.e.example/cb", Wildcard),
            ("https://%2a.e.example/cb", Wildcard),
            ("https://e.example/#x", Fragment),
            ("https://a@e.example/", UserInfo),
            ("/callback", NoUrl),
            ("https://e.example/\r\nx: y", NoUrl),
            ("https://e.example/ü", NoUrl),
            (&format!("https://e.example/{}", "x".repeat(495)), TooLong),
        ] {
            assert_eq!(RedirectAddress::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        let covers =
            |registered: &str, sent: &str| address(sent).is_covered_by(&address(registered));
        assert!(covers("http://127.0.0.1/cb", "http://127.0.0.1:4711/cb"));
        assert!(covers("http://localhost:1/cb", "http://localhost:2/cb"));
        assert!(covers("https://e.example/cb", "https://e.example/cb"));
        for (registered, sent) in [
            ("http://127.0.0.1/cb", "http://localhost/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.2/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb/"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb?x"),
            ("https://e.example/cb", "https://e.example:444/cb"),
            ("https://e.example/cb", "https://e.example/cb/"),
            ("https://e.example/cb", "https://e.example/CB"),
            ("https://e.example/cb", "https://E.example/cb"),
            ("https://localhost/cb", "https://localhost:1/cb"),
            ("https://e.example/*", "https://e.example/cb"),
        ] {
            assert!(!covers(registered, sent), "{registered} {sent}");
        }
    }

    #[test]
    fn parameters_are_added_to_those_that_are_there() {
        let sent = address("https://e.example/cb?a=1").with_parameters([("state", "x&y= \r\n")]);
        assert_eq!(sent, "https://e.example/cb?a=1&state=x%26y%3D+%0D%0A");
        let address = address("https://e.example:8443/cb").host();
        assert_eq!(address, "e.example:8443");
    }
}
