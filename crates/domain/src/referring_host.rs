//! The host that a visitor came from.

use url::Url;

/// The host of a `Referer` header, with the port unless it is the scheme's default; `None` if the
/// header is empty or not an absolute URL with a host.
///
/// Path and query are left out because they may name persons or carry tokens.
pub fn referring_host(header: &str) -> Option<String> {
    let url = Url::parse(header).ok()?;
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://news.example/a?b=c#d", "news.example")]
    #[case("https://News.Example", "news.example")]
    #[case("http://news.example:8080/", "news.example:8080")]
    #[case("http://news.example:80/", "news.example")]
    #[case("https://news.example:443", "news.example")]
    #[case("https://news.example:80", "news.example:80")]
    #[case("https://user:secret@news.example/", "news.example")]
    #[case("https://news.example?token=1", "news.example")]
    #[case("http://[2001:db8::1]:81/", "[2001:db8::1]:81")]
    #[case("http://[2001:DB8::1]/", "[2001:db8::1]")]
    #[case("https://ñ.example/", "xn--ida.example")]
    #[case("android-app://com.example.mail/", "com.example.mail")]
    fn keeps_only_host_and_port(#[case] header: &str, #[case] expected: &str) {
        assert_eq!(referring_host(header).as_deref(), Some(expected));
    }

    #[rstest]
    #[case("")]
    #[case("news.example")]
    #[case("/path")]
    #[case("about:blank")]
    #[case("https://")]
    #[case("https://a b.example/")]
    #[case("https://news.example:port/")]
    #[case("https://news.example:99999/")]
    #[case("https://news.example:+80/")]
    #[case("https://[::1/")]
    #[case("https://[]/")]
    #[case("1https://news.example/")]
    fn what_is_no_absolute_url_counts_as_no_referer(#[case] header: &str) {
        assert_eq!(referring_host(header), None);
    }
}
