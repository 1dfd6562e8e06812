//! Addresses as they leave the service: URIs, which every program can follow.

use std::{borrow::Cow, fmt};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::{Host, Url};

use crate::authority::{authority_end, host_range, names_a_host};

/// Characters that no URI holds (RFC 3986 §2). Brackets stay, as the URL standard leaves them:
/// `?a[]=1` is signed and compared as it is written.
const FORBIDDEN: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The same in a query, which ends at `#`.
const FORBIDDEN_IN_QUERIES: &AsciiSet = &FORBIDDEN.add(b'#');

/// An address as it leaves the service, in `Location` (RFC 9110 §10.2.2), a page or a request: a URI
/// (RFC 3986) in ASCII.
///
/// Characters that no URI holds are percent-encoded as UTF-8, a host leaves as name servers know it
/// (IDNA, UTS 46), and everything else leaves byte for byte, escapes included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri<'a>(Cow<'a, str>);

impl<'a> Uri<'a> {
    /// The URI of an address as a person wrote it: an absolute one, or a path. Copies nothing that is
    /// a URI already.
    pub fn of(address: impl Into<Cow<'a, str>>) -> Self {
        let address = address.into();
        let encoded = match with_plain_host(&address) {
            Some(plain) => Cow::Owned(encoded(&plain, FORBIDDEN).into_owned()),
            None => encoded(&address, FORBIDDEN),
        };
        match encoded {
            Cow::Owned(text) => Self(Cow::Owned(text)),
            Cow::Borrowed(_) => Self(address),
        }
    }

    /// Takes the text of another [`Uri`].
    pub(crate) fn known(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// The URI changed by `change`, which keeps it one.
    pub(crate) fn map(self, change: impl FnOnce(Cow<'a, str>) -> Cow<'a, str>) -> Self {
        Self(change(self.0))
    }

    /// The URI as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Uri<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A query with what none holds encoded.
pub(crate) fn encoded_query(query: &str) -> Cow<'_, str> {
    encoded(query, FORBIDDEN_IN_QUERIES)
}

/// A text with the characters of a set, what is not ASCII and each bare `%` encoded. Escapes stay.
pub(crate) fn encoded<'t>(text: &'t str, set: &'static AsciiSet) -> Cow<'t, str> {
    let begins_an_escape = |behind: &str| {
        let digits = behind.as_bytes().first_chunk::<2>();
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let text: Cow<'_, str> = utf8_percent_encode(text, set).into();
    if text.split('%').skip(1).all(begins_an_escape) {
        return text;
    }
    let mut whole = String::with_capacity(text.len() + 16);
    for (index, part) in text.split('%').enumerate() {
        if index > 0 {
            whole.push_str(if begins_an_escape(part) { "%" } else { "%25" });
        }
        whole.push_str(part);
    }
    whole.into()
}

/// The address with a host that every program finds and every name server knows; `None` if it is
/// written so already, or needs no host.
fn with_plain_host(address: &str) -> Option<String> {
    if !names_a_host(address.split_once(':')?.0) {
        return None;
    }
    if authority_end(address).is_none() {
        // Older versions stored these, and browsers follow them.
        return Url::parse(address).ok().map(String::from);
    }
    let range = host_range(address)?;
    let host = &address[range.clone()];
    if host.is_ascii() && !host.contains('%') {
        return None;
    }
    let plain = Host::parse(host).ok()?.to_string();
    Some([&address[..range.start], &plain, &address[range.end..]].concat())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::what_no_uri_holds(
        "https://e.example/a|{b}\"<>^\\` c",
        "https://e.example/a%7C%7Bb%7D%22%3C%3E%5E%5C%60%20c"
    )]
    #[case::bare_percents(
        "https://e.example/100%?a=%zz%4%",
        "https://e.example/100%25?a=%25zz%254%25"
    )]
    #[case::a_percent_before_what_is_encoded(
        "https://e.example/%|%4ü",
        "https://e.example/%25%7C%254%C3%BC"
    )]
    #[case::in_a_query_and_a_fragment(
        "https://e.example?a=b|c#d|e",
        "https://e.example?a=b%7Cc#d%7Ce"
    )]
    #[case::characters_beyond_ascii(
        "https://e.example/путь/👩‍🚀",
        "https://e.example/%D0%BF%D1%83%D1%82%D1%8C/%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80"
    )]
    #[case::a_host_beyond_ascii(
        "https://münchen.example/ü",
        "https://xn--mnchen-3ya.example/%C3%BC"
    )]
    #[case::a_host_in_escapes(
        "https://u:p@m%C3%BCnchen.example:81?x",
        "https://u:p@xn--mnchen-3ya.example:81?x"
    )]
    #[case::a_host_of_wide_letters("HTTPS://ｓl。example", "HTTPS://sl.example")]
    #[case::a_host_of_an_app("app://ü/x", "app://%C3%BC/x")]
    #[case::an_address_without_a_host(
        "mailto:ü@e.example?subject=a b",
        "mailto:%C3%BC@e.example?subject=a%20b"
    )]
    #[case::a_path("/verlören|da?a=b#c", "/verl%C3%B6ren%7Cda?a=b#c")]
    #[case::slashes_that_browsers_forgive(
        "https:\\\\e.example\\docs|",
        "https://e.example/docs%7C"
    )]
    #[case::missing_slashes("http:e.example", "http://e.example/")]
    #[case::controls("https://e.example/\r\nX: y", "https://e.example/%0D%0AX:%20y")]
    fn what_no_uri_holds_is_encoded(#[case] address: &str, #[case] uri: &str) {
        assert_eq!(Uri::of(address).as_str(), uri);
        assert_eq!(Uri::of(uri), Uri::known(uri));
    }

    #[rstest]
    #[case("https://e.example")]
    #[case("HTTP://User:p%40ss@E.Example:080/a/../b//%7c%7C;x=1,2?a=b+c&d=%20/?:@!$'()*#e?")]
    #[case("https://e.example/?a[]=1&b[x]=2")]
    #[case("http://[2001:DB8::1]:81/%00%FF")]
    #[case("app://open/~x_-.")]
    fn everything_else_leaves_byte_for_byte_and_is_not_copied(#[case] address: &str) {
        assert!(matches!(Uri::of(address), Uri(Cow::Borrowed(same)) if same == address));
    }
}
