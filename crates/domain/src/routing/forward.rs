//! Passes on to the destination the rest of a path, which stands behind the slug.
//!
//! The rest of a path is untrusted. It is written segment by segment and only behind the host, so
//! it can change neither scheme, host, port nor credentials. In a path it keeps its escapes; behind
//! `?` or `#` it is decoded once and encoded anew. Its dot segments are resolved among its own
//! segments: it cannot climb above the path that the author wrote.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::{Slug, authority::authority_end, uri::encoded};

/// The rest of a path behind the slug, as the client sent it: `rust-lang/rust` of
/// `/gh/rust-lang/rust`. At most [`PathRest::MAX_BYTES`] long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathRest<'r>(&'r str);

impl<'r> PathRest<'r> {
    /// The longest rest in bytes.
    pub const MAX_BYTES: usize = 2_048;

    /// Takes a rest, without the slash before it; `None` if it is too long.
    pub fn new(rest: &'r str) -> Option<Self> {
        (rest.len() <= Self::MAX_BYTES).then_some(Self(rest))
    }

    /// The segments as they were sent, without dot segments (RFC 3986 §5.2.4).
    fn segments(self) -> Vec<&'r str> {
        let mut segments = Vec::new();
        let mut ends_in_dots = false;
        for segment in self.0.split('/') {
            ends_in_dots = true;
            match &*Cow::from(percent_decode_str(segment)) {
                b"." => {}
                b".." => drop(segments.pop()),
                _ => {
                    segments.push(segment);
                    ends_in_dots = false;
                }
            }
        }
        // `a/.` is the folder `a/`.
        if ends_in_dots && !segments.is_empty() {
            segments.push("");
        }
        segments
    }
}

/// Slugs of which we serve paths below them, or clients of older instances open some.
const KEPT: [&str; 2] = ["api", "dashboard"];

/// True if a link with this slug may pass on what stands behind the slug.
pub fn may_forward(slug: &Slug) -> bool {
    !KEPT
        .iter()
        .any(|kept| slug.as_str().eq_ignore_ascii_case(kept))
}

/// The first placeholder in a text.
pub fn placeholder_in(text: &str) -> Option<&'static str> {
    let mut begins = text.match_indices('{').map(|(begin, _)| begin);
    begins.find_map(|begin| Some(Placeholder::at(text.get(begin..)?)?.text()))
}

/// The placeholder of a destination that stands before the end of the host, where nothing is
/// filled in.
pub fn misplaced_placeholder(destination: &str) -> Option<&'static str> {
    let end = authority_end(destination).unwrap_or(destination.len());
    placeholder_in(destination.get(..end)?)
}

/// A destination with the rest of the path filled in, or put behind its path if it has no
/// placeholder. A destination without a host, such as `mailto:`, stays as it is.
pub(crate) fn fill<'d>(destination: &'d str, rest: PathRest<'_>) -> Cow<'d, str> {
    let Some(end) = authority_end(destination) else {
        return Cow::Borrowed(destination);
    };
    let (authority, tail) = destination.split_at(end);
    let segments = rest.segments();
    let mut filled = String::with_capacity(destination.len() + rest.0.len() + 1);
    filled.push_str(authority);
    let mut part = UrlPart::Path;
    let mut has_placeholder = false;
    let mut left = tail;
    while let Some(next) = left.chars().next() {
        if let Some(placeholder) = Placeholder::at(left) {
            placeholder.write(&segments, part, &mut filled);
            has_placeholder = true;
            left = &left[placeholder.text().len()..];
            continue;
        }
        match next {
            '?' if part == UrlPart::Path => part = UrlPart::Behind,
            '#' => part = UrlPart::Behind,
            _ => {}
        }
        filled.push(next);
        left = &left[next.len_utf8()..];
    }
    if has_placeholder {
        return Cow::Owned(filled);
    }
    if segments.is_empty() || rest.0.is_empty() {
        return Cow::Borrowed(destination);
    }
    let path_end = tail.find(['?', '#']).unwrap_or(tail.len());
    let (path, behind) = tail.split_at(path_end);
    filled.truncate(end);
    filled.push_str(path);
    if !path.ends_with('/') {
        filled.push('/');
    }
    write_all(&segments, UrlPart::Path, &mut filled);
    filled.push_str(behind);
    Cow::Owned(filled)
}

/// A placeholder of a destination.
#[derive(Clone, Copy)]
enum Placeholder {
    /// `{path}`: all segments.
    All,
    /// `{1}` to `{9}`: one segment.
    Segment(u8),
}

impl Placeholder {
    fn at(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [b'{', digit @ b'1'..=b'9', b'}', ..] => Some(Self::Segment(digit - b'0')),
            [b'{', b'p', b'a', b't', b'h', b'}', ..] => Some(Self::All),
            _ => None,
        }
    }

    fn text(self) -> &'static str {
        const SEGMENTS: [&str; 9] = [
            "{1}", "{2}", "{3}", "{4}", "{5}", "{6}", "{7}", "{8}", "{9}",
        ];
        match self {
            Self::All => "{path}",
            Self::Segment(number) => SEGMENTS[usize::from(number - 1)],
        }
    }

    fn write(self, segments: &[&str], part: UrlPart, to: &mut String) {
        match self {
            Self::All => write_all(segments, part, to),
            Self::Segment(number) => {
                if let Some(segment) = segments.get(usize::from(number - 1)) {
                    part.write(segment, to);
                }
            }
        }
    }
}

fn write_all(segments: &[&str], part: UrlPart, to: &mut String) {
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            to.push('/');
        }
        part.write(segment, to);
    }
}

/// The part of a URL that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UrlPart {
    Path,
    /// The query or the fragment.
    Behind,
}

/// Characters of segments that need no encoding: `pchar` of RFC 3986 §3.3, escapes included.
const SEGMENT: &AsciiSet = &UNRESERVED
    .remove(b'%')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// Characters that need no encoding anywhere: RFC 3986 §2.3.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

impl UrlPart {
    fn write(self, segment: &str, to: &mut String) {
        match self {
            Self::Path => to.push_str(&encoded(segment, SEGMENT)),
            Self::Behind => {
                let decoded = Cow::from(percent_decode_str(segment));
                to.extend(percent_encode(&decoded, UNRESERVED));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use url::Url;

    use super::*;

    fn filled(destination: &str, rest: &str) -> String {
        fill(destination, PathRest::new(rest).unwrap()).into_owned()
    }

    #[rstest]
    #[case(
        "https://github.com/{path}",
        "rust-lang/rust",
        "https://github.com/rust-lang/rust"
    )]
    #[case("https://github.com/{path}", "", "https://github.com/")]
    #[case("https://e.example/{2}/{1}", "a/b", "https://e.example/b/a")]
    #[case("https://e.example/{2}/{1}", "a", "https://e.example//a")]
    #[case("https://e.example/{1}{10}", "a", "https://e.example/a{10}")]
    #[case("https://e.example", "a/b", "https://e.example/a/b")]
    #[case("https://e.example/docs", "a/", "https://e.example/docs/a/")]
    #[case(
        "https://e.example/docs/?v=1#top",
        "a",
        "https://e.example/docs/a?v=1#top"
    )]
    #[case("https://e.example/docs?v=1", "", "https://e.example/docs?v=1")]
    #[case("https://e.example?p={path}", "a&b/c", "https://e.example?p=a%26b/c")]
    #[case("https://e.example/#{1}", "a=b", "https://e.example/#a%3Db")]
    #[case("https://e.example/x/", "../../y", "https://e.example/x/y")]
    #[case("https://e.example/x/", "a/%2e%2E/b/.", "https://e.example/x/b/")]
    #[case("https://e.example/x", "..", "https://e.example/x")]
    #[case("https://e.example/x/", "a%2Fb", "https://e.example/x/a%2Fb")]
    #[case(
        "https://e.example/x/",
        "%252e%252e/b",
        "https://e.example/x/%252e%252e/b"
    )]
    #[case(
        "https://e.example/x/",
        "a?b#c\\d",
        "https://e.example/x/a%3Fb%23c%5Cd"
    )]
    #[case(
        "https://e.example/x/",
        "ü%FF%zz",
        "https://e.example/x/%C3%BC%FF%25zz"
    )]
    #[case(
        "https://e.example",
        "/evil.example",
        "https://e.example//evil.example"
    )]
    #[case(
        "https://e.example/x/",
        "%7E%c3%bc;%7c|[",
        "https://e.example/x/%7E%c3%bc;%7c%7C%5B"
    )]
    #[case(
        "https://e.example/{1}?q={1}",
        "%7E%26",
        "https://e.example/%7E%26?q=~%26"
    )]
    #[case("app://open/x", "a", "app://open/x/a")]
    #[case(
        "mailto:a@e.example?subject={path}",
        "x",
        "mailto:a@e.example?subject={path}"
    )]
    #[case("https:///{path}", "evil.example", "https:///{path}")]
    #[case(
        "https://{1}.e.example/",
        "evil.example/",
        "https://{1}.e.example/evil.example/"
    )]
    fn the_rest_is_filled_in_or_put_behind(
        #[case] destination: &str,
        #[case] rest: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(filled(destination, rest), expected);
    }

    #[test]
    fn placeholders_stand_behind_the_host() {
        for (destination, misplaced) in [
            ("https://{1}.e.example/{2}", Some("{1}")),
            ("https://u:{path}@e.example/", Some("{path}")),
            ("https://e.example/{1}", None),
            ("mailto:{1}@e.example", Some("{1}")),
        ] {
            assert_eq!(misplaced_placeholder(destination), misplaced);
        }
    }

    #[test]
    fn slugs_above_paths_of_ours_pass_nothing_on() {
        let may = |slug: &str| may_forward(&slug.parse().unwrap());
        assert!(may("gh") && may("apis"));
        assert!(!may("api") && !may("API") && !may("dashboard"));
    }

    #[test]
    fn a_long_rest_is_refused() {
        assert!(PathRest::new(&"a".repeat(2_048)).is_some());
        assert!(PathRest::new(&"a".repeat(2_049)).is_none());
    }

    /// Destinations of authors, each with the path that nothing may leave.
    const DESTINATIONS: [(&str, &str); 10] = [
        ("https://u:p@e.example:8443/a/{path}", "/a/"),
        ("https://e.example/a/b", "/a/b"),
        ("https://e.example", "/"),
        ("https://e.example?x={path}", "/"),
        ("https://e.example#{1}", "/"),
        ("https://e.example/a/{1}/{2}?q={3}#{path}", "/a/"),
        ("http://[2001:db8::1]:81/{1}", "/"),
        ("https://e.example/a{path}", "/a"),
        ("app://open/a", "/a"),
        ("https://e.example:8443/a/?{1}", "/a/"),
    ];

    /// Texts that programs read as the end of a host, or as a way up.
    fn rest() -> impl Strategy<Value = String> {
        let trick = prop::sample::select(vec![
            "/",
            "//",
            "..",
            ".",
            "%2e",
            "%2E%2e",
            "%2f",
            "%5c",
            "\\",
            "@",
            ":",
            "?",
            "#",
            "%00",
            "%0d%0a",
            "%",
            "{path}",
            "{1}",
            "evil.example",
            "https://",
            ";",
            "%25",
            "\u{2025}",
        ]);
        let bytes = prop::collection::vec(any::<u8>(), 0..6)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let part = prop_oneof![3 => trick.prop_map(String::from), 1 => bytes];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn no_rest_leaves_the_origin_or_the_path_of_the_author(
            rest in rest(),
            chosen in prop::sample::select(DESTINATIONS.to_vec()),
        ) {
            let (destination, path) = chosen;
            let bare: String = ["{path}", "{1}", "{2}", "{3}"]
                .iter()
                .fold(destination.to_owned(), |text, name| text.replace(name, ""));
            let before = Url::parse(&bare).unwrap();
            let filled = filled(destination, &rest);
            prop_assert!(!filled.chars().any(char::is_control));
            let after = Url::parse(&filled).unwrap();
            prop_assert_eq!(after.scheme(), before.scheme());
            prop_assert_eq!(after.host_str(), before.host_str());
            prop_assert_eq!(after.port(), before.port());
            prop_assert_eq!(after.username(), before.username());
            prop_assert_eq!(after.password(), before.password());
            prop_assert!(after.path().starts_with(path), "{} in {}", after.path(), filled);
            prop_assert_eq!(after.query().is_some(), before.query().is_some());
            prop_assert_eq!(after.fragment().is_some(), before.fragment().is_some());
        }

        #[test]
        fn bytes_come_out_as_they_went_in(bytes in prop::collection::vec(any::<u8>(), 1..40)) {
            prop_assume!(bytes != b"." && bytes != b"..");
            let encoded: String = percent_encode(&bytes, NON_ALPHANUMERIC).collect();
            let filled = filled("https://e.example/x", &encoded);
            let written = filled.strip_prefix("https://e.example/x/").unwrap();
            prop_assert!(!written.contains('/'));
            let read: Vec<u8> = percent_decode_str(written).collect();
            prop_assert_eq!(read, bytes);
        }
    }
}
