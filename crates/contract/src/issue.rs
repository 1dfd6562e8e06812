//! The valid values that an error of the domain states.

use std::net::AddrParseError;

use slugline_domain::{
    CallerName, CallerNameError, CountryError, DestinationError, HostError, IdempotencyKey,
    IdempotencyKeyError, ImportedPasswordError, LanguageTagError, LinkId, LinkIdError,
    LinkKeyError, PageSize, PageSizeError, Password, PasswordError, PlaceError, ProbeBoundError,
    RowLimitError, Rules, Scope, ScopeError, SearchText, SearchTextError, SinkForm, Slug,
    SlugError, Tag, TagError, TagsError, TextError, TimeError, TokenName, TokenNameError,
    VisitCount, VisitCountError,
    routing::{Rule, RuleError, RulesError},
};
pub use slugline_problem::issue::{Issue, IssueCode};

/// The code of a fault, its message, and the valid value.
pub type Fault = (IssueCode, String, String);

/// A domain error that can state the valid value.
pub(crate) trait Explain {
    fn explain(&self) -> Fault;
}

/// States the valid values of errors. A row has the error, the valid value, and the code of each
/// case.
macro_rules! explain {
    ($($error:ty: $expected:literal $(, $bound:expr)*; $($case:pat => $code:ident),+;)+) => {$(
        impl $crate::issue::Explain for $error {
            fn explain(&self) -> $crate::issue::Fault {
                let code = match self {
                    $($case => $crate::issue::IssueCode::$code,)+
                };
                (code, self.to_string(), format!($expected $(, $bound)*))
            }
        }
    )+};
}

explain! {
    SlugError:
        "1 to {} letters, digits, '_' and single hyphens between them, such as spring-sale",
        Slug::MAX_CHARS;
        Self::Empty => TooSmall, Self::TooLong { .. } => TooBig, Self::Malformed => InvalidFormat;
    HostError: "a host such as go.example.com";
        Self::Empty => TooSmall, Self::Malformed => InvalidFormat;
    VisitCountError: "1 to {}", VisitCount::MAX;
        Self { visits: ..1 } => TooSmall, Self { .. } => TooBig;
    TagError: "1 to {} characters", Tag::MAX_CHARS;
        Self::Empty => TooSmall, Self::TooLong { .. } => TooBig;
    TokenNameError:
        "1 to {} characters: letters and digits of any language, ASCII punctuation and single \
         blanks",
        TokenName::MAX_CHARS;
        Self::Empty => TooSmall, Self::TooLong { .. } => TooBig,
        Self::Character(_) | Self::Blanks => InvalidFormat, Self::Reserved => Custom;
    ScopeError: "some of {}", Scope::ALL.map(Scope::as_str).join(", ");
        Self::None => TooSmall, Self::Unknown(_) => InvalidValue;
    LinkIdError: "1 to {} letters, digits, '_' and '-'", LinkId::MAX_CHARS;
        Self::Length { length: 0 } => TooSmall, Self::Length { .. } => TooBig,
        Self::Malformed => InvalidFormat;
    CallerNameError: "1 to {} characters, without line breaks", CallerName::MAX_CHARS;
        Self::Length { length: 0 } => TooSmall, Self::Length { .. } => TooBig,
        Self::ControlCharacter => InvalidFormat;
    IdempotencyKeyError: "one text of 1 to {} printable ASCII characters, such as a UUID",
        IdempotencyKey::MAX_BYTES;
        _ => Custom;
    SearchTextError: "at most {} UTF-8 bytes", SearchText::MAX_BYTES;
        Self::Empty => TooSmall, Self::TooLong { .. } => Custom;
    CountryError: "a two-letter country code"; _ => InvalidFormat;
    PlaceError: "a name without control characters"; _ => InvalidFormat;
    LanguageTagError: "a language tag such as en or pt-BR"; _ => InvalidFormat;
    AddrParseError: "an address such as 203.0.113.9 or 2001:db8::1"; _ => InvalidFormat;
    TimeError: "Unix time in whole seconds"; _ => TooBig;
    RuleError: "1 to {} conditions that can hold together", Rule::MAX_CONDITIONS;
        Self::Empty => TooSmall, Self::TooMany(_) => TooBig,
        Self::Twice(_) | Self::Never | Self::IdleZone => Custom;
    RulesError: "at most {} rules", Rules::MAX; _ => TooBig;
}

impl Explain for LinkKeyError {
    fn explain(&self) -> Fault {
        match self {
            Self::Host(error) => error.explain(),
            Self::Slug(error) => error.explain(),
        }
    }
}

impl Explain for DestinationError {
    fn explain(&self) -> Fault {
        let (code, expected) = match self {
            Self::Empty => (IssueCode::TooSmall, "an absolute URL".into()),
            Self::TooLong { max, .. } => {
                (IssueCode::TooBig, format!("at most {max} bytes as sent"))
            }
            Self::Invisible(_) => (
                IssueCode::InvalidFormat,
                "an address without invisible characters, or with them encoded".into(),
            ),
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
    fn explain(&self) -> Fault {
        (
            IssueCode::TooBig,
            self.to_string(),
            format!("at most {} characters", self.max),
        )
    }
}

impl Explain for TagsError {
    fn explain(&self) -> Fault {
        let fault = Issue::of_tags(self);
        (fault.code, fault.message, fault.expected)
    }
}

impl Explain for PasswordError {
    fn explain(&self) -> Fault {
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
    fn explain(&self) -> Fault {
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

impl Explain for PageSizeError {
    fn explain(&self) -> Fault {
        from_one_to(PageSize::MAX.into(), self.size)
    }
}

impl Explain for RowLimitError {
    fn explain(&self) -> Fault {
        from_one_to(self.max.into(), self.rows)
    }
}

impl Explain for ProbeBoundError {
    fn explain(&self) -> Fault {
        from_one_to(self.max.into(), self.number)
    }
}

/// The fault of a whole number outside `1..=max`, in Sink's words.
fn from_one_to(max: i64, found: i64) -> Fault {
    let (code, message) = if found < 1 {
        let message = "Too small: expected number to be >=1".into();
        (IssueCode::TooSmall, message)
    } else {
        let message = format!("Too big: expected number to be <={max}");
        (IssueCode::TooBig, message)
    };
    (code, message, format!("a whole number from 1 to {max}"))
}
