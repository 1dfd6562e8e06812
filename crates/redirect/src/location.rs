//! Addresses as values of the `Location` header.

use actix_web::http::header::HeaderValue;

use crate::percent;

/// Percent-encodes, as UTF-8, blanks and all characters that are not visible
/// ASCII, as a browser would. Destinations hold no control characters.
pub(crate) fn location(target: &str) -> HeaderValue {
    // The fold does not stop at the first failing byte, so that the compiler can test
    // many at once.
    let fits = |fits, byte: u8| fits & byte.is_ascii_graphic();
    if target.bytes().fold(true, fits) {
        return HeaderValue::from_str(target).expect("visible ASCII is a header value");
    }
    let encoded = percent::encode(target, |c| !c.is_ascii_graphic());
    HeaderValue::from_str(&encoded).expect("visible ASCII is a header value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_visible_ascii_whatever_the_destination_holds() {
        let encoded = |target| location(target).to_str().unwrap().to_owned();
        assert_eq!(
            encoded("https://e.example/a?b=%20#c"),
            "https://e.example/a?b=%20#c"
        );
        assert_eq!(
            encoded("https://e.example/ü b"),
            "https://e.example/%C3%BC%20b"
        );
        assert_eq!(
            encoded("https://e.example/\r\nX: y"),
            "https://e.example/%0D%0AX:%20y"
        );
    }
}
