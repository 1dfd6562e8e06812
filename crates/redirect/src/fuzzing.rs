//! Entry points for `fuzz/`: input from visitors and proxied destinations.

use actix_web::http::{header::HeaderValue, uri::PathAndQuery};
use slugline_domain::{
    Arrival, Destination, DestinationRules, FollowedLink, InstanceDefaults, Link, LinkId,
    Resolution, Slug, UnixSeconds, Visitor,
};
use slugline_httpkit::Locale;
use url::Url;

use crate::{follow::slug_in, gate::Form, location::location, proxy};

/// Takes bytes for the path of a request.
///
/// # Panics
/// A slug begins otherwise than the path does, or has a character that no slug has.
pub fn fuzz_path(bytes: &[u8]) {
    let Ok(target) = PathAndQuery::try_from(bytes) else {
        return;
    };
    let path = target.path();
    if let Some((slug, _)) = slug_in(path) {
        let begins_alike = path.trim_start_matches('/').starts_with(slug.as_str());
        assert!(begins_alike || path.contains('%'), "{path:?}");
        assert!(
            !slug.as_str().contains(['/', '%', '?', '#', '.', ' ']),
            "{path:?}"
        );
    }
}

/// Takes bytes: up to the first line break as a destination, after it as a visitor's
/// query. Merges the two.
///
/// # Panics
/// The merged address leads to another host, lost its fragment, cannot stand in
/// a header, or lacks a parameter of the visitor's.
pub fn fuzz_query_merge(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (url, query) = text.split_once('\n').unwrap_or((&text, "a=b"));
    let app = "app".parse().expect("a scheme");
    let schemes = DestinationRules::new(2_048, vec![app]);
    let Ok(destination) = Destination::parse(url, &schemes) else {
        return;
    };
    assert!(!destination.as_str().chars().any(char::is_control));
    let before = Url::parse(destination.as_str()).expect("a destination is a URL");
    assert!(["http", "https", "app"].contains(&before.scheme()));
    let now = UnixSeconds::new(1_800_000_000).expect("in range");
    let id = LinkId::parse("id").expect("an id");
    let link = Link::new(
        id,
        Slug::parse("docs").expect("a slug").into(),
        destination,
        now,
    );
    let visitor = Visitor {
        now,
        user_agent: "",
        country: None,
        query: Some(query),
        rest: None,
        facts: &NoFacts,
    };
    let rules = InstanceDefaults {
        with_query: true,
        ..InstanceDefaults::default()
    };
    let link = FollowedLink::from(&link);
    let Resolution::Open(Arrival::Led(lead)) = link.resolve(&visitor, rules) else {
        panic!("nothing stops the visitor of a plain link");
    };
    let header = location(&lead.target);
    assert!(header.as_bytes().iter().all(u8::is_ascii_graphic));
    let header = header.to_str().expect("visible ASCII");
    let after = Url::parse(header).expect("a merged destination is a URL");
    assert_eq!(
        after.origin().ascii_serialization(),
        before.origin().ascii_serialization()
    );
    assert_eq!(
        (after.scheme(), after.host_str()),
        (before.scheme(), before.host_str())
    );
    assert_eq!(
        (after.username(), after.port()),
        (before.username(), before.port())
    );
    assert_eq!(after.fragment().is_some(), before.fragment().is_some());
    let has: Vec<_> = after.query_pairs().collect();
    for pair in url::form_urlencoded::parse(query.as_bytes()) {
        assert!(
            has.contains(&pair) || pair.0.is_empty(),
            "{pair:?} is missing in {has:?}"
        );
    }
}

/// Takes bytes for the body of a form at a gate, as every content type.
///
/// # Panics
/// A valid form is not read as it was written.
pub fn fuzz_gate_form(bytes: &[u8]) {
    for kind in ["", "application/json", "multipart/form-data"] {
        let form = Form::read(kind, bytes);
        let _ = (form.text("password"), form.confirmed());
    }
    let password = String::from_utf8_lossy(bytes);
    let written = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("password", &password)
        .append_pair("confirm", "true")
        .finish();
    let form = Form::read("", written.as_bytes());
    assert_eq!(form.text("password"), Some(&*password));
    assert!(form.confirmed());
}

/// Takes bytes for the value of a destination's `Content-Type`.
///
/// # Panics
/// A value that may name a type other than PDF passes as PDF.
pub fn fuzz_content_type(bytes: &[u8]) {
    let names_a_pdf =
        |bytes: &[u8]| HeaderValue::from_bytes(bytes).is_ok_and(|value| proxy::names_a_pdf(&value));
    if names_a_pdf(bytes) {
        let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '/';
        assert_eq!(text.split(ends).next(), Some("application/pdf"));
        assert!(!text.contains([',', '"', '(', ')', '<', '>', '\\']));
    }
    assert!(!names_a_pdf(&[bytes, b",text/html"].concat()));
    assert!(!names_a_pdf(&[b"text/html,", bytes].concat()));
}

/// Takes bytes for an `Accept-Language` header.
///
/// # Panics
/// The preferred language is not chosen when the header names it alone.
pub fn fuzz_languages(bytes: &[u8]) {
    let header = String::from_utf8_lossy(bytes);
    if let Some(locale) = Locale::preferred(&header) {
        assert_eq!(Locale::preferred(locale.tag()), Some(locale));
    }
}
