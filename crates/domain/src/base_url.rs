//! The address below which a service is reached.

use std::sync::Arc;

use thiserror::Error;
use url::{Position, Url};

use crate::{Origin, text::trimmed};

/// The address below which the service is reached, in one spelling: an origin, and the path that a
/// proxy in front takes away, if there is one: `https://sl.example`, `https://example.com/go`. It has
/// no slash at its end. A clone is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    text: Arc<str>,
    origin: Origin,
}

text_form!(BaseUrl: Display, FromStr<BaseUrlError>);

impl BaseUrl {
    /// Reads an address, maybe with slashes at its end.
    ///
    /// # Errors
    /// The text is no address of the web, or has an account, a query, a fragment, or a character in
    /// its path that would need an escape anywhere.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let url = Url::parse(trimmed(text)).map_err(|_| BaseUrlError)?;
        let path = url[Position::BeforePath..].trim_end_matches('/');
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let mut segments = path.split('/').skip(1).map(str::as_bytes);
        let is_plain =
            segments.all(|segment| !segment.is_empty() && segment.iter().copied().all(plain));
        let origin = Origin::without_account(&url).filter(|_| is_plain);
        let origin = origin.ok_or(BaseUrlError)?;
        let text = format!("{origin}{path}").into();
        Ok(Self { text, origin })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the origin, with which browsers name pages.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the path: empty, or one such as `/go`.
    pub fn path(&self) -> &str {
        &self.text[self.origin.as_str().len()..]
    }

    /// Returns the address of another host that this service has, with the same scheme and port. It has
    /// no path: a host of its own needs none.
    #[must_use]
    pub fn of_host(&self, host: &str) -> Self {
        self.origin.of_host(host).into()
    }

    /// Returns the address of the well-known document about a resource of the service. Its path stands
    /// at the root of the host, and that of the resource behind it (RFC 8414, section 3.1, and RFC
    /// 9728, section 3.1).
    pub fn well_known(&self, document: &str, resource: &str) -> String {
        format!("{}{document}{}{resource}", self.origin, self.path())
    }

    /// Returns the address with the characters that its host stands for; `None` if these are the ones
    /// that it has.
    pub fn in_unicode(&self) -> Option<String> {
        let origin = self.origin.in_unicode()?;
        Some(format!("{origin}{}", self.path()))
    }
}

impl From<Origin> for BaseUrl {
    fn from(origin: Origin) -> Self {
        let text = origin.as_str().into();
        Self { text, origin }
    }
}

/// The text is not the address of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected http:// or https://, a host, maybe a port, and maybe a path of letters, digits, -, ., _ \
     and ~, such as https://sl.example or https://example.com/go"
)]
pub struct BaseUrlError;

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://sl.example/", "https://sl.example", "")]
    #[case(" HTTPS://SL.Example:443/go// ", "https://sl.example/go", "/go")]
    #[case("http://[::1]:8080/a/B-1_~", "http://[::1]:8080/a/B-1_~", "/a/B-1_~")]
    #[case("https://sl.example/a/../b", "https://sl.example/b", "/b")]
    fn an_address_has_one_spelling(#[case] text: &str, #[case] whole: &str, #[case] path: &str) {
        let base: BaseUrl = text.parse().unwrap();
        assert_eq!((base.as_str(), base.path()), (whole, path));
        assert_eq!(format!("{}{path}", base.origin()), whole);
    }

    #[rstest]
    #[case("sl.example/go")]
    #[case("https://a//b")]
    #[case("https://a/b?c")]
    #[case("https://a/?")]
    #[case("https://a/b#c")]
    #[case("https://u@a/b")]
    #[case("https://a/b c")]
    #[case("https://a/%62")]
    #[case("https://a/b;c")]
    fn an_address_has_no_surprises(#[case] text: &str) {
        assert_eq!(text.parse::<BaseUrl>(), Err(BaseUrlError), "{text}");
    }

    #[test]
    fn documents_about_resources_are_at_the_root_of_the_host_and_other_hosts_have_no_path() {
        let base: BaseUrl = "https://bücher.example:8443/go".parse().unwrap();
        let document = base.well_known("/.well-known/x", "/api");
        let host = "https://xn--bcher-kva.example:8443";
        assert_eq!(document, format!("{host}/.well-known/x/go/api"));
        assert_eq!(base.of_host("a.example").as_str(), "https://a.example:8443");
        let unicode = base.in_unicode().unwrap();
        assert_eq!(unicode, "https://bücher.example:8443/go");
    }
}
