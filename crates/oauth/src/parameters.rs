//! Queries and forms.

use actix_web::{HttpRequest, http::StatusCode, web::Payload};
use slugline_httpkit::{Code, header, unreadable_body};

/// The names and values of a query or a form.
#[derive(Debug, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

/// The reason why a body is no form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoForm {
    /// It is too large.
    TooLarge,
    /// It came too slowly.
    TooSlow,
    /// It broke off.
    Incomplete,
    /// It has another type.
    OtherType,
}

impl Parameters {
    /// The most bytes of a body.
    pub(crate) const LIMIT: usize = 64 << 10;

    /// Reads a text of names and values; a broken one has none.
    pub(crate) fn read(text: &str) -> Self {
        Self(serde_urlencoded::from_str(text).unwrap_or_default())
    }

    /// Reads a body.
    pub(crate) async fn of_body(request: &HttpRequest, body: Payload) -> Result<Self, NoForm> {
        let kind = header(request, "content-type").and_then(|kind| kind.split(';').next());
        let is_form = |kind: &str| {
            kind.trim()
                .eq_ignore_ascii_case("application/x-www-form-urlencoded")
        };
        if !kind.is_some_and(is_form) {
            return Err(NoForm::OtherType);
        }
        let bytes = bytes(body).await?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        Ok(Self::read(text))
    }

    /// The value of a name. An empty one counts as none (RFC 6749, section 3.1).
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut given = self.0.iter().filter(|(given, _)| given == name);
        let (_, value) = given.find(|(_, value)| !value.is_empty())?;
        Some(value)
    }

    /// Every value of a name that is not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of = self.0.iter().filter(move |(given, _)| given == name);
        of.map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The first of these names that occurs more than once, which RFC 6749, section 3.1, forbids.
    pub(crate) fn repeated<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        let count = |name: &str| self.0.iter().filter(|(given, _)| given == name).count();
        names.iter().copied().find(|name| count(name) > 1)
    }
}

/// The bytes of a body.
pub(crate) async fn bytes(body: Payload) -> Result<actix_web::web::Bytes, NoForm> {
    let bytes = body.to_bytes_limited(Parameters::LIMIT).await;
    let bytes = bytes.map_err(|_| NoForm::TooLarge)?;
    bytes.map_err(|error| {
        let code = unreadable_body(&error).code;
        if code == Code::BodyTooLarge {
            NoForm::TooLarge
        } else if code == Code::RequestTimeout {
            NoForm::TooSlow
        } else {
            NoForm::Incomplete
        }
    })
}

impl NoForm {
    /// The status that says so.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Incomplete | Self::OtherType => StatusCode::BAD_REQUEST,
        }
    }

    /// The reason for a developer.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::TooLarge => "the body has more than 64 KiB",
            Self::TooSlow => "the body came too slowly; send it without long pauses",
            Self::Incomplete => "the body broke off",
            Self::OtherType => "the body must be application/x-www-form-urlencoded",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_value_is_none_and_a_repeated_name_is_noticed() {
        let read = Parameters::read("a=1&b=&c=x%20y&a=2");
        assert_eq!(read.get("a"), Some("1"));
        assert_eq!(read.get("b"), None);
        assert_eq!(read.get("c"), Some("x y"));
        assert_eq!(read.all("a").count(), 2);
        assert_eq!(read.repeated(&["c", "a"]), Some("a"));
        assert_eq!(read.repeated(&["b", "c", "d"]), None);
    }
}
