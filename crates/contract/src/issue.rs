//! The valid values that an error of the domain states.

use std::net::AddrParseError;

use slugline_domain::{
    CountryError, DestinationError, HostError, IdempotencyKey, IdempotencyKeyError,
    ImportedPasswordError, LinkId, LinkIdError, LinkKeyError, MaxVisits, MaxVisitsError, PageSize,
    PageSizeError, Password, PasswordError, PlaceError, ProbeBoundError, RowLimitError, Scope,
    ScopeError, SearchText, SearchTextError, SinkForm, Slug, SlugError, Tag, TagError, TagsError,
    TextError, TimeError, TokenName, TokenNameError,
};
pub use slugline_problem::issue::{Issue, IssueCode};

/// A domain error that can state the valid value.
pub(crate) trait Explain {
    fn explain(&self) -> (IssueCode, String, String);
}

impl Explain for SlugError {
    fn explain(&self) -> (IssueCode, String, String) {
        let expected = format!(
            "1 to {} letters, digits, '_' and single hyphens between them, such as spring-sale",
            Slug::MAX_CHARS
        );
        let code = match self {
            Self::Empty => IssueCode::TooSmall,
            Self::TooLong { .. } => IssueCode::TooBig,
            Self::Malformed => IssueCode::InvalidFormat,
        };
        (code, self.to_string(), expected)
    }
}

impl Explain for HostError {
    fn explain(&self) -> (IssueCode, String, String) {
        let code = match self {
            Self::Empty => IssueCode::TooSmall,
            Self::Malformed => IssueCode::InvalidFormat,
        };
        (
            code,
            self.to_string(),
            "a host such as go.example.com".into(),
        )
    }
}

impl Explain for LinkKeyError {
    fn explain(&self) -> (IssueCode, String, String) {
        match self {
            Self::Host(error) => error.explain(),
            Self::Slug(error) => error.explain(),
        }
    }
}

impl Explain for DestinationError {
    fn explain(&self) -> (IssueCode, String, String) {
        let (code, expected) = match self {
            Self::Empty => (IssueCode::TooSmall, "an absolute URL".into()),
            Self::TooLong { max, .. } => (IssueCode::TooBig, format!("at most {max} characters")),
            Self::NotAUrl => (
                IssueCode::InvalidFormat,
                "an absolute URL such as https://example.com/".into(),
            ),
            Self::HostNotPlain { scheme } => (
                IssueCode::InvalidFormat,
                format!("two slashes after \"{scheme}:\", such as {scheme}://example.com/"),
            ),
            Self::SchemeNotAllowed { .. } => {
                (IssueCode::InvalidFormat, "an http or https URL".into())
            }
        };
        (code, self.to_string(), expected)
    }
}

impl Explain for TextError {
    fn explain(&self) -> (IssueCode, String, String) {
        (
            IssueCode::TooBig,
            self.to_string(),
            format!("at most {} characters", self.max),
        )
    }
}

impl Explain for MaxVisitsError {
    fn explain(&self) -> (IssueCode, String, String) {
        let code = if self.visits < 1 {
            IssueCode::TooSmall
        } else {
            IssueCode::TooBig
        };
        let expected = format!("1 to {}", MaxVisits::MAX);
        (code, self.to_string(), expected)
    }
}

impl Explain for TagError {
    fn explain(&self) -> (IssueCode, String, String) {
        let code = match self {
            Self::Empty => IssueCode::TooSmall,
            Self::TooLong { .. } => IssueCode::TooBig,
        };
        (
            code,
            self.to_string(),
            format!("1 to {} characters", Tag::MAX_CHARS),
        )
    }
}

impl Explain for TokenNameError {
    fn explain(&self) -> (IssueCode, String, String) {
        let code = match self {
            Self::Empty => IssueCode::TooSmall,
            Self::TooLong { .. } => IssueCode::TooBig,
            Self::Character(_) | Self::Blanks => IssueCode::InvalidFormat,
            Self::Reserved => IssueCode::Custom,
        };
        let expected = format!(
            "1 to {} characters: letters and digits of any language, ASCII punctuation and single \
             blanks",
            TokenName::MAX_CHARS
        );
        (code, self.to_string(), expected)
    }
}

impl Explain for ScopeError {
    fn explain(&self) -> (IssueCode, String, String) {
        let code = match self {
            Self::None => IssueCode::TooSmall,
            Self::Unknown(_) => IssueCode::InvalidValue,
        };
        let names = Scope::ALL.map(Scope::as_str).join(", ");
        (code, self.to_string(), format!("some of {names}"))
    }
}

impl Explain for TagsError {
    fn explain(&self) -> (IssueCode, String, String) {
        let fault = Issue::of_tags(self);
        (fault.code, fault.message, fault.expected)
    }
}

impl Explain for PasswordError {
    fn explain(&self) -> (IssueCode, String, String) {
        let (code, expected) = match self {
            Self::Empty => (
                IssueCode::TooSmall,
                "a password, or no password member".into(),
            ),
            Self::TooLong { .. } => (
                IssueCode::TooBig,
                format!("at most {} characters", Password::MAX_CHARS),
            ),
            Self::Masked => (
                IssueCode::Custom,
                "a new password, or no password member to keep it".into(),
            ),
        };
        (code, self.to_string(), expected)
    }
}

impl Explain for ImportedPasswordError {
    fn explain(&self) -> (IssueCode, String, String) {
        match self {
            Self::Plain(error) => error.explain(),
            Self::Hash(error) => {
                let expected = format!(
                    "an Argon2id hash, sink-pwd:v1 with at most {} iterations, or a password in clear",
                    SinkForm::MAX_ITERATIONS
                );
                (IssueCode::InvalidFormat, error.to_string(), expected)
            }
        }
    }
}

impl Explain for LinkIdError {
    fn explain(&self) -> (IssueCode, String, String) {
        let code = match self {
            Self::Length { length: 0 } => IssueCode::TooSmall,
            Self::Length { .. } => IssueCode::TooBig,
            Self::Malformed => IssueCode::InvalidFormat,
        };
        let expected = format!("1 to {} letters, digits, '_' and '-'", LinkId::MAX_CHARS);
        (code, self.to_string(), expected)
    }
}

impl Explain for IdempotencyKeyError {
    fn explain(&self) -> (IssueCode, String, String) {
        let expected = format!(
            "one text of 1 to {} printable ASCII characters, such as a UUID",
            IdempotencyKey::MAX_BYTES
        );
        (IssueCode::Custom, self.to_string(), expected)
    }
}

impl Explain for CountryError {
    fn explain(&self) -> (IssueCode, String, String) {
        (
            IssueCode::InvalidFormat,
            self.to_string(),
            "a two-letter country code".into(),
        )
    }
}

impl Explain for PlaceError {
    fn explain(&self) -> (IssueCode, String, String) {
        let expected = "a name without control characters".into();
        (IssueCode::InvalidFormat, self.to_string(), expected)
    }
}

impl Explain for AddrParseError {
    fn explain(&self) -> (IssueCode, String, String) {
        let expected = "an address such as 203.0.113.9 or 2001:db8::1".into();
        (IssueCode::InvalidFormat, self.to_string(), expected)
    }
}

impl Explain for TimeError {
    fn explain(&self) -> (IssueCode, String, String) {
        (
            IssueCode::TooBig,
            self.to_string(),
            "Unix time in whole seconds".into(),
        )
    }
}

impl Explain for SearchTextError {
    fn explain(&self) -> (IssueCode, String, String) {
        let code = match self {
            Self::Empty => IssueCode::TooSmall,
            Self::TooLong { .. } => IssueCode::Custom,
        };
        let expected = format!("at most {} UTF-8 bytes", SearchText::MAX_BYTES);
        (code, self.to_string(), expected)
    }
}

impl Explain for PageSizeError {
    fn explain(&self) -> (IssueCode, String, String) {
        from_one_to(PageSize::MAX.into(), self.size)
    }
}

impl Explain for RowLimitError {
    fn explain(&self) -> (IssueCode, String, String) {
        from_one_to(self.max.into(), self.rows)
    }
}

impl Explain for ProbeBoundError {
    fn explain(&self) -> (IssueCode, String, String) {
        from_one_to(self.max.into(), self.number)
    }
}

/// The fault of a whole number outside `1..=max`, in Sink's words.
fn from_one_to(max: i64, found: i64) -> (IssueCode, String, String) {
    let (code, message) = if found < 1 {
        let message = "Too small: expected number to be >=1".into();
        (IssueCode::TooSmall, message)
    } else {
        let message = format!("Too big: expected number to be <={max}");
        (IssueCode::TooBig, message)
    };
    (code, message, format!("a whole number from 1 to {max}"))
}
