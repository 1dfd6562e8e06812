//! Headers of requests as texts and as lists.

use std::borrow::Cow;

use actix_web::{
    HttpRequest,
    http::header::{ACCEPT, ACCEPT_ENCODING, AsHeaderName, CONTENT_TYPE, COOKIE, HeaderName},
};

/// Returns a request header as text, whatever bytes it holds. A constant of
/// [`actix_web::http::header`] is found faster than a name in quotes.
pub fn header(request: &HttpRequest, name: impl AsHeaderName) -> Option<Cow<'_, str>> {
    Some(text(request.headers().get(name)?.as_bytes()))
}

/// The media type of the body, without parameters, in lower case.
pub fn media_type(request: &HttpRequest) -> String {
    let sent = header(request, &CONTENT_TYPE).unwrap_or_default();
    let kind = sent.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// Returns whether `Accept-Encoding` names gzip, or any coding, and does not refuse it (RFC 9110
/// §12.5.3).
pub fn takes_gzip(request: &HttpRequest) -> bool {
    let admitted = admits(request, &ACCEPT_ENCODING, |coding| match coding {
        "gzip" => Some(1),
        "*" => Some(0),
        _ => None,
    });
    admitted.unwrap_or(false)
}

/// Returns whether `Accept` admits JSON, as it does where it is empty or absent (RFC 9110 §12.5.1).
/// Java sends `*` for `*/*`.
pub fn takes_json(request: &HttpRequest) -> bool {
    let admitted = admits(request, &ACCEPT, |range| match range {
        "application/json" => Some(2),
        "application/*" => Some(1),
        "*/*" | "*" => Some(0),
        _ => None,
    });
    admitted.unwrap_or_else(|| elements(request, &ACCEPT).next().is_none())
}

/// The verdict of a header that lists what its client takes: the range decides that names it most
/// exactly. `None` if no range does.
fn admits(
    request: &HttpRequest,
    name: &HeaderName,
    exactness: impl Fn(&str) -> Option<u8>,
) -> Option<bool> {
    let verdicts = elements(request, name).filter_map(|element| {
        let element = text(element).to_ascii_lowercase();
        let (range, parameters) = element.split_once(';').unwrap_or((element.as_str(), ""));
        let mut parameters = parameters.split(';').map(str::trim);
        let weight = parameters.find_map(|parameter| parameter.strip_prefix("q="));
        let is_refused = weight.is_some_and(|weight| weight.parse() == Ok(0.0));
        Some((exactness(range.trim())?, !is_refused))
    });
    verdicts.max().map(|(_, is_admitted)| is_admitted)
}

/// The elements of a list, which may come in several lines.
pub(crate) fn elements<'r>(
    request: &'r HttpRequest,
    name: &HeaderName,
) -> impl Iterator<Item = &'r [u8]> {
    let lines = request.headers().get_all(name);
    lines.flat_map(|line| elements_from_end(line.as_bytes()))
}

/// The value of a cookie.
pub fn cookie(request: &HttpRequest, name: &str) -> Option<String> {
    let cookies = request.headers().get_all(COOKIE);
    let pairs = cookies.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    pairs.map(text).find_map(|pair| {
        let (found, value) = pair.split_once('=')?;
        (found.trim() == name).then(|| value.trim().to_owned())
    })
}

/// The text that bytes stand for: UTF-8, as browsers and programs of today send it, else Latin-1, as
/// HTTP/1.0 had it. Every byte stands for a character in Latin-1.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

/// The elements of a list, the last one first. Commas in quotes separate nothing, and an empty
/// element is none (RFC 9110 §5.6.1).
///
/// Proxies append to lists. Reading from the end keeps a quote that a client wrote before from
/// changing what the elements behind it are.
pub fn elements_from_end(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    split_from_end(list, b',')
}

/// The parts between separators that stand in no quotes, the last one first, trimmed, without empty
/// ones.
pub(crate) fn split_from_end(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut is_quoted = false;
    let parts = text.rsplit(move |byte| {
        is_quoted ^= *byte == b'"';
        *byte == separator && !is_quoted
    });
    parts
        .map(<[u8]>::trim_ascii)
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use actix_web::{http::header::HeaderValue, test::TestRequest};
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(b"curl/8.7.1", "curl/8.7.1")]
    #[case("Größe 🚀".as_bytes(), "Größe 🚀")]
    #[case(b"Gr\xf6\xdfe", "Größe")]
    #[case(b"caf\xe9 \x80", "café \u{80}")]
    fn a_header_is_read_whatever_bytes_it_holds(#[case] sent: &[u8], #[case] read: &str) {
        let value = HeaderValue::from_bytes(sent).unwrap();
        let request = TestRequest::default().insert_header(("user-agent", value));
        let request = request.to_http_request();
        assert_eq!(header(&request, "user-agent").unwrap(), read);
        assert_eq!(header(&request, "referer"), None);
    }

    #[rstest]
    #[case("gzip", true)]
    #[case("br, GZIP;q=0.1", true)]
    #[case("*", true)]
    #[case("", false)]
    #[case("br", false)]
    #[case("identity", false)]
    #[case("gzip;q=0", false)]
    #[case("gzip;q=0, *", false)]
    #[case("gzip; q=0.000", false)]
    #[case("x-gzipped", false)]
    fn gzip_is_taken_by_name_or_as_any_coding(#[case] accepted: &str, #[case] takes: bool) {
        let request = TestRequest::default().insert_header((ACCEPT_ENCODING, accepted));
        assert_eq!(takes_gzip(&request.to_http_request()), takes);
    }

    #[rstest]
    #[case(&[], true)]
    #[case(&[" , "], true)]
    #[case(&["application/json"], true)]
    #[case(&["Application/JSON;charset=utf-8"], true)]
    #[case(&["text/event-stream", "application/json"], true)]
    #[case(&["application/*"], true)]
    #[case(&["*/*"], true)]
    #[case(&["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"], true)]
    #[case(&["text/html;title=\"a,b\", application/json;q=0.1"], true)]
    #[case(&["application/json;q=0, application/json;profile=x"], true)]
    #[case(&["application/json, */*;q=0"], true)]
    #[case(&["text/event-stream"], false)]
    #[case(&["text/html,application/xhtml+xml"], false)]
    #[case(&["application/json;q=0"], false)]
    #[case(&["application/json; Q=0.000, */*"], false)]
    #[case(&["*/*;q=0"], false)]
    #[case(&["text/html;title=\", application/json\""], false)]
    fn json_is_taken_unless_it_is_excluded(#[case] lines: &[&str], #[case] takes: bool) {
        let request = lines.iter().fold(TestRequest::default(), |request, line| {
            request.append_header((ACCEPT, *line))
        });
        assert_eq!(takes_json(&request.to_http_request()), takes);
    }

    #[test]
    fn a_cookie_is_found_beside_those_of_others() {
        let value = HeaderValue::from_bytes(b"theirs=\xff\xfe; ours = a=b ;x").unwrap();
        let request = TestRequest::default().insert_header(("cookie", value));
        let request = request.to_http_request();
        assert_eq!(cookie(&request, "ours").as_deref(), Some("a=b"));
        assert_eq!(cookie(&request, "x"), None);
    }

    #[rstest]
    #[case("a, b,,c ,", &["c", "b", "a"])]
    #[case("for=\"a,b;c\";by=d, e", &["e", "for=\"a,b;c\";by=d"])]
    #[case("for=\", for=\"[::1]:80\", x", &["x", "for=\"[::1]:80\"", "for=\""])]
    #[case(" , ", &[])]
    fn lists_are_read_from_their_end(#[case] list: &str, #[case] elements: &[&str]) {
        let read = elements_from_end(list.as_bytes());
        let read: Vec<_> = read
            .map(|element| std::str::from_utf8(element).unwrap())
            .collect();
        assert_eq!(read, elements);
    }
}
