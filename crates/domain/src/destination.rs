//! The URL that a link leads to.

use std::str::FromStr;

use thiserror::Error;
use url::Url;

use crate::{
    Uri,
    authority::{authority_end, host_range, names_a_host},
    text::{is_invisible, trimmed},
};

/// An absolute URL that is safe to send a browser to.
///
/// It keeps the author's spelling, trimmed but not canonicalised, because the
/// wire returns it unchanged. It holds no control characters. [`Destination::uri`] is the form in
/// which it leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Destination(Box<str>);

text_form!(Destination: as_str, Display);

impl Destination {
    /// Parses and checks a destination.
    ///
    /// # Errors
    /// The text breaks one of the `rules` or the syntax of URLs; the error
    /// names which.
    pub fn parse(text: &str, rules: &DestinationRules) -> Result<Self, DestinationError> {
        let text = trimmed(text);
        if text.is_empty() {
            return Err(DestinationError::Empty);
        }
        let sent = Uri::of(text).as_str().len();
        if sent > rules.max_bytes {
            return Err(DestinationError::TooLong {
                length: text.chars().count(),
                sent,
                max: rules.max_bytes,
            });
        }
        // The URL standard drops tabs and newlines inside a URL. We refuse
        // them, because we store and send the text itself.
        if text.chars().any(char::is_control) {
            return Err(DestinationError::NotAUrl);
        }
        let url = Url::parse(text).map_err(|_| DestinationError::NotAUrl)?;
        if !rules.allows(url.scheme()) {
            return Err(DestinationError::SchemeNotAllowed {
                scheme: url.scheme().into(),
            });
        }
        if !names_its_host(text, url.scheme()) {
            return Err(DestinationError::HostNotPlain {
                scheme: url.scheme().into(),
            });
        }
        // IDNA has judged those in the host.
        let host = host_range(text).unwrap_or_default();
        let mut characters = text.char_indices();
        let found = characters.find(|(at, c)| is_invisible(*c) && !host.contains(at));
        match found {
            Some((_, character)) => Err(DestinationError::Invisible(character)),
            None => Ok(Self(text.into())),
        }
    }

    /// Takes a text that passed [`Destination::parse`] before, such as one read
    /// back from storage. It does not apply today's rules, so that a link made
    /// under older, looser ones keeps working.
    ///
    /// # Errors
    /// The text is not a URL, or its scheme is one that is never allowed.
    pub fn restore(text: &str) -> Result<Self, DestinationError> {
        let url = Url::parse(text).map_err(|_| DestinationError::NotAUrl)?;
        if text.chars().any(char::is_control) {
            return Err(DestinationError::NotAUrl);
        }
        if Scheme::FORBIDDEN.contains(&url.scheme()) {
            return Err(DestinationError::SchemeNotAllowed {
                scheme: url.scheme().into(),
            });
        }
        Ok(Self(text.into()))
    }

    /// The URI that visitors and programs are sent to.
    pub fn uri(&self) -> Uri<'_> {
        Uri::of(self.as_str())
    }
}

/// True if every program finds the same host in the URL, or if URLs of its scheme need none.
///
/// The URL standard forgives missing slashes and backslashes, and other programs do not:
///
/// - `https:slug` and `https:/slug` are addresses of the host `slug` when they stand alone. As an
///   answer of an `https` page, browsers take them for paths below that page's own host.
/// - The host of `https://a.example\@b.example/` is `a.example` for browsers and `b.example` for
///   programs that go by RFC 3986.
///
/// The standard forgives these schemes only.
fn names_its_host(text: &str, scheme: &str) -> bool {
    !names_a_host(scheme) || authority_end(text).is_some()
}

/// Parses a destination under the default rules: `http` and `https` only.
impl FromStr for Destination {
    type Err = DestinationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text, &DestinationRules::default())
    }
}

/// The destinations that an instance accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationRules {
    max_bytes: usize,
    extra_schemes: Vec<Scheme>,
}

impl DestinationRules {
    /// Longest destination by default, in bytes as it leaves. Sink's default.
    pub const DEFAULT_MAX_BYTES: usize = 16_384;

    /// Allows URLs up to a length in bytes as they leave, and other schemes besides
    /// `http` and `https`.
    pub fn new(max_bytes: usize, extra_schemes: Vec<Scheme>) -> Self {
        Self {
            max_bytes,
            extra_schemes,
        }
    }

    /// Longest destination in bytes as it leaves.
    pub fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// The schemes that destinations may have.
    pub fn schemes(&self) -> impl Iterator<Item = &str> {
        let extra = self.extra_schemes.iter().map(|scheme| scheme.0.as_str());
        ["http", "https"].into_iter().chain(extra)
    }

    fn allows(&self, scheme: &str) -> bool {
        self.schemes().any(|allowed| allowed == scheme)
    }
}

impl Default for DestinationRules {
    fn default() -> Self {
        Self::new(Self::DEFAULT_MAX_BYTES, Vec::new())
    }
}

/// A URL scheme that an operator may allow besides `http` and `https`, such as
/// `mailto` or an app's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme(String);

text_form!(Scheme: as_str, Display, FromStr<SchemeError>);

impl Scheme {
    /// Schemes that run code or read local data in the visitor's browser. No
    /// setting can allow them.
    pub const FORBIDDEN: [&'static str; 4] = ["javascript", "data", "vbscript", "file"];
}

impl Scheme {
    /// Parses a scheme name by RFC 3986 §3.1, without the colon.
    ///
    /// # Errors
    /// The text is no name of a scheme, or the scheme is never allowed.
    pub fn parse(text: &str) -> Result<Self, SchemeError> {
        let name = text.trim().to_ascii_lowercase();
        let mut bytes = name.bytes();
        let well_formed = bytes.next().is_some_and(|b| b.is_ascii_lowercase())
            && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
        if !well_formed {
            return Err(SchemeError::Malformed);
        }
        if Self::FORBIDDEN.contains(&name.as_str()) {
            return Err(SchemeError::Forbidden);
        }
        Ok(Self(name))
    }
}

/// The reason why a scheme cannot be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SchemeError {
    /// It is not a letter followed by letters, digits, `+`, `-` and `.`.
    #[error("a scheme is a letter followed by letters, digits, '+', '-' or '.', without a colon")]
    Malformed,
    /// It is one of [`Scheme::FORBIDDEN`].
    #[error("this scheme runs code or reads local data and is never allowed")]
    Forbidden,
}

/// The reason why a text cannot be a destination.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DestinationError {
    /// The text is empty, or only white space.
    #[error("URL is required")]
    Empty,
    /// It is longer than the instance allows.
    #[error("URL must not exceed {max} bytes: its {length} characters are sent as {sent} bytes")]
    TooLong {
        /// Its length in characters.
        length: usize,
        /// The length of its URI in bytes.
        sent: usize,
        /// The longest URI allowed, in bytes.
        max: usize,
    },
    /// It has a character that no person sees, outside the host.
    #[error("URL has the invisible character U+{:04X}", u32::from(*.0))]
    Invisible(char),
    /// It is not an absolute URL.
    #[error("URL format is invalid")]
    NotAUrl,
    /// Slashes before the host are missing, or there is a backslash among them or in the host.
    #[error("URL must begin with \"{scheme}://\" and the host, without a backslash")]
    HostNotPlain {
        /// The scheme.
        scheme: String,
    },
    /// The instance does not allow its scheme.
    #[error("URL scheme \"{scheme}\" is not allowed")]
    SchemeNotAllowed {
        /// The scheme.
        scheme: String,
    },
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://example.com")]
    #[case("http://example.com/a?b=c#d")]
    #[case("HTTPS://EXAMPLE.com/Ünï")]
    #[case("https://user:pass@example.com:8443/")]
    fn keeps_the_text_as_sent(#[case] text: &str) {
        let padded = format!(" {text} ");
        let destination = Destination::parse(&padded, &DestinationRules::default()).unwrap();
        assert_eq!(destination.as_str(), text);
        assert_eq!(Destination::restore(text).unwrap(), destination);
    }

    #[rstest]
    #[case("", DestinationError::Empty)]
    #[case("example.com", DestinationError::NotAUrl)]
    #[case("/path", DestinationError::NotAUrl)]
    #[case("https://", DestinationError::NotAUrl)]
    #[case("https://a.example/\r\nSet-Cookie: x", DestinationError::NotAUrl)]
    #[case("java\tscript:alert(1)", DestinationError::NotAUrl)]
    #[case("javascript:alert(1)", DestinationError::SchemeNotAllowed { scheme: "javascript".into() })]
    #[case("JaVaScRiPt:alert(1)", DestinationError::SchemeNotAllowed { scheme: "javascript".into() })]
    #[case("data:text/html,x", DestinationError::SchemeNotAllowed { scheme: "data".into() })]
    #[case("mailto:a@example.com", DestinationError::SchemeNotAllowed { scheme: "mailto".into() })]
    fn refuses(#[case] text: &str, #[case] error: DestinationError) {
        let refused = Destination::parse(text, &DestinationRules::default());
        assert_eq!(refused, Err(error));
    }

    #[rstest]
    #[case("https:slug")]
    #[case("HTTPS:slug")]
    #[case("http:/slug")]
    #[case("https:///slug")]
    #[case("https:\\\\e.example")]
    #[case("https:/\\e.example")]
    #[case("https://\\e.example")]
    #[case("https://a.example\\@b.example/")]
    #[case("https://e.example\\docs")]
    fn refuses_what_programs_read_differently_and_restores_it(#[case] text: &str) {
        let refused = Destination::parse(text, &DestinationRules::default());
        let is_refused = matches!(refused, Err(DestinationError::HostNotPlain { .. }));
        assert!(is_refused, "{refused:?}");
        assert_eq!(Destination::restore(text).unwrap().as_str(), text);
    }

    #[test]
    fn only_schemes_with_a_host_need_slashes() {
        let schemes = ["mailto", "app", "ftp"].map(|scheme| scheme.parse().unwrap());
        let rules = DestinationRules::new(100, schemes.into());
        let taken = |text| Destination::parse(text, &rules).is_ok();
        assert!(taken("mailto:a@example.com") && taken("app:open") && taken("ftp://e.example/"));
        assert!(taken("https://e.example/a\\b?c=\\"));
        assert!(!taken("ftp:e.example"));
    }

    #[test]
    fn an_allowed_scheme_passes_but_code_never_does() {
        let rules = DestinationRules::new(100, vec!["mailto".parse().unwrap()]);
        assert!(Destination::parse("mailto:a@example.com", &rules).is_ok());
        assert_eq!("JavaScript".parse::<Scheme>(), Err(SchemeError::Forbidden));
        assert_eq!("a:b".parse::<Scheme>(), Err(SchemeError::Malformed));
        assert!(Destination::restore("javascript:alert(1)").is_err());
    }

    #[rstest]
    #[case("https://example.com/üé", 22, 32)]
    #[case("https://example.com/{|}", 23, 29)]
    #[case("https://exämple.com/", 20, 27)]
    fn the_length_of_what_leaves_counts(
        #[case] text: &str,
        #[case] length: usize,
        #[case] sent: usize,
    ) {
        let parsed = |max| Destination::parse(text, &DestinationRules::new(max, Vec::new()));
        assert_eq!(parsed(sent).unwrap().uri().as_str().len(), sent);
        let max = sent - 1;
        let error = DestinationError::TooLong { length, sent, max };
        assert_eq!(parsed(max), Err(error));
    }

    #[rstest]
    #[case("\u{feff}https://e.example/\u{200b}\u{2060}", Ok("https://e.example/"))]
    #[case(
        "\u{202a}https://e.example/\u{202c} \u{200e}\u{ad}",
        Ok("https://e.example/")
    )]
    #[case(
        "https://e\u{ad}.exam\u{200b}ple/",
        Ok("https://e\u{ad}.exam\u{200b}ple/")
    )]
    #[case(
        "https://e.example/👩\u{200d}🚀/❤\u{fe0f}",
        Ok("https://e.example/👩\u{200d}🚀/❤\u{fe0f}")
    )]
    #[case("https://e\u{202e}.example/", Err(DestinationError::NotAUrl))]
    #[case(
        "https://e.example/a\u{200b}b",
        Err(DestinationError::Invisible('\u{200b}'))
    )]
    #[case(
        "https://e.example?\u{202e}b",
        Err(DestinationError::Invisible('\u{202e}'))
    )]
    #[case(
        "https://u\u{feff}:p@e.example",
        Err(DestinationError::Invisible('\u{feff}'))
    )]
    fn invisible_characters_are_trimmed_and_else_refused(
        #[case] text: &str,
        #[case] expected: Result<&str, DestinationError>,
    ) {
        let parsed = text.parse::<Destination>();
        assert_eq!(
            parsed.as_ref().map(Destination::as_str),
            expected.as_ref().copied()
        );
    }
}
