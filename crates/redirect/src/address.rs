//! Addresses to which an instance sends visitors who follow no link.

use actix_web::{HttpRequest, http::header::HeaderValue, http::uri::PathAndQuery};
use slugline_domain::{
    BaseUrl, Destination, DestinationError, Origin, Uri,
    text::{is_invisible, trimmed},
};
use slugline_httpkit::Edge;
use thiserror::Error;
use url::{Position, Url};

use crate::location::location;

/// An address that an operator chose: absolute, or a path of this instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    location: HeaderValue,
    /// `None` for a path of this instance.
    origin: Option<Origin>,
    /// Path and query, as a browser asks for them.
    path_and_query: String,
}

impl Address {
    /// An absolute `http` or `https` URL.
    ///
    /// # Errors
    /// The text is something else, or no destination for another reason.
    pub fn absolute(text: &str) -> Result<Self, AddressError> {
        let parsed = text.parse::<Destination>();
        let of = |destination| Self::of(&destination).ok_or(AddressError::NotAbsolute);
        parsed.map_err(AddressError::from).and_then(of)
    }

    /// An absolute `http` or `https` URL, or a path of this instance.
    ///
    /// # Errors
    /// The text is something else, or no destination for another reason.
    pub fn absolute_or_path(text: &str) -> Result<Self, AddressError> {
        match Self::absolute(text) {
            Err(AddressError::NotAbsolute) => {
                Self::parse_path(text).ok_or(AddressError::NeitherAbsoluteNorPath)
            }
            parsed => parsed,
        }
    }

    /// The address that a domain's operator chose. `None` if it is not one of the web.
    pub(crate) fn of(destination: &Destination) -> Option<Self> {
        let uri = destination.uri();
        let url = parse(uri.as_str())?;
        Some(Self {
            location: location(&uri),
            origin: Some(Origin::of(&url)?),
            path_and_query: path_and_query(&url),
        })
    }

    /// The same address for an instance whose proxy takes the path of its base URL away: visitors ask
    /// below that path, and the instance is asked without it.
    #[must_use]
    pub fn below(mut self, base: Option<&BaseUrl>) -> Self {
        let Some(base) = base else { return self };
        if self.origin.is_none() {
            let location = [base.path().as_bytes(), self.location.as_bytes()].concat();
            let location = HeaderValue::from_bytes(&location);
            self.location = location.expect("both are visible ASCII");
        } else if self.origin.as_ref() == Some(base.origin())
            && let Some(behind) = self.path_and_query.strip_prefix(base.path())
            && (behind.is_empty() || behind.starts_with(['/', '?']))
        {
            let asked = behind.strip_prefix('/').unwrap_or(behind);
            self.path_and_query = format!("/{asked}");
        }
        self
    }

    pub(crate) fn location(&self) -> HeaderValue {
        self.location.clone()
    }

    /// Returns whether the request asks for this very address, so that a redirect to it
    /// would never end. Schemes are not compared, because an untrusted proxy hides the
    /// visitor's scheme.
    pub(crate) fn is_asked_for_by(&self, request: &HttpRequest, edge: &Edge) -> bool {
        let asked = request
            .uri()
            .path_and_query()
            .map_or("/", PathAndQuery::as_str);
        asked == self.path_and_query
            && self
                .origin
                .as_ref()
                .is_none_or(|origin| edge.is_asked_at(request, origin))
    }

    /// `//host` and `/\host` look like paths but lead to another host.
    fn parse_path(text: &str) -> Option<Self> {
        const ANY_HOST: &str = "http://host.invalid";
        let text = trimmed(text);
        let elsewhere = text
            .get(1..)
            .is_some_and(|rest| rest.starts_with(['/', '\\']));
        let is_odd = text.contains(|c: char| c.is_control() || is_invisible(c));
        if !text.starts_with('/') || elsewhere || is_odd {
            return None;
        }
        let uri = Uri::of(text);
        let url = parse(&format!("{ANY_HOST}{uri}"))?;
        Some(Self {
            location: location(&uri),
            origin: None,
            path_and_query: path_and_query(&url),
        })
    }
}

/// The text is not an address that the setting accepts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// It has an invisible character, is too long, or programs read its host differently.
    #[error(transparent)]
    Destination(DestinationError),
    /// It is not an absolute URL of the web.
    #[error("expected an absolute http or https URL, such as https://example.com")]
    NotAbsolute,
    /// It is neither such a URL nor a path.
    #[error(
        "expected an absolute http or https URL, such as https://example.com/lost, or a path such \
         as /lost"
    )]
    NeitherAbsoluteNorPath,
}

impl From<DestinationError> for AddressError {
    fn from(error: DestinationError) -> Self {
        match error {
            DestinationError::TooLong { .. }
            | DestinationError::Invisible(_)
            | DestinationError::HostNotPlain { .. } => Self::Destination(error),
            DestinationError::Empty
            | DestinationError::NotAUrl
            | DestinationError::SchemeNotAllowed { .. } => Self::NotAbsolute,
        }
    }
}

fn parse(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

fn path_and_query(url: &Url) -> String {
    url[Position::BeforePath..Position::AfterQuery].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads_to(address: Result<Address, AddressError>) -> String {
        address.unwrap().location().to_str().unwrap().to_owned()
    }

    #[test]
    fn an_address_is_kept_as_written_and_fits_a_header() {
        for text in ["https://example.com", "HTTP://example.com/a?b#c"] {
            assert_eq!(leads_to(Address::absolute(text)), text);
            assert_eq!(leads_to(Address::absolute_or_path(text)), text);
        }
        assert_eq!(
            leads_to(Address::absolute_or_path("/lost?a=b#c")),
            "/lost?a=b#c"
        );
        assert_eq!(
            leads_to(Address::absolute_or_path("\u{feff}/verlören|\u{200b}")),
            "/verl%C3%B6ren%7C"
        );
        assert_eq!(
            leads_to(Address::absolute(" https://münchen.example/\u{200b}")),
            "https://xn--mnchen-3ya.example/"
        );
    }

    #[test]
    fn what_is_no_web_address_is_refused() {
        let wrong = [
            "",
            "example.com",
            "lost",
            "https://",
            "javascript:alert(1)",
            "//evil.example",
            "/\\evil.example",
            "/a\r\nSet-Cookie: b",
            "https://example.com/a\tb",
        ];
        for text in wrong {
            assert_eq!(
                Address::absolute(text),
                Err(AddressError::NotAbsolute),
                "{text:?}"
            );
            assert_eq!(
                Address::absolute_or_path(text),
                Err(AddressError::NeitherAbsoluteNorPath),
                "{text:?}"
            );
        }
        assert_eq!(Address::absolute("/lost"), Err(AddressError::NotAbsolute));
        let invisible = Address::absolute_or_path("https://e.example/a\u{200b}b").unwrap_err();
        assert_eq!(
            invisible.to_string(),
            "URL has the invisible character U+200B"
        );
    }

    #[test]
    fn a_browsers_spelling_is_what_is_compared() {
        let compared = |text| Address::absolute_or_path(text).unwrap().path_and_query;
        assert_eq!(compared("/a/../ö b?c#d"), "/%C3%B6%20b?c");
        assert_eq!(compared("/a|b?{c}"), "/a%7Cb?%7Bc%7D");
        assert_eq!(compared("https://sl.example#top"), "/");
    }
}
