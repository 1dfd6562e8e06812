//! The request headers that the access log reads.

/// The beginnings of three request headers of a visit. They share one
/// allocation, because many visits wait in a queue at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitHeaders {
    /// The three texts, one after the other.
    texts: Box<str>,
    user_agent_ends: u16,
    referer_ends: u16,
}

impl VisitHeaders {
    /// The most bytes kept of each header. The longest ordinary user agents,
    /// those of apps with a browser inside, have some 400.
    pub const MAX_BYTES: u16 = 1_024;

    /// Keeps the `User-Agent`, `Referer` and `Accept-Language` headers; an
    /// absent one is empty.
    pub fn new(user_agent: &str, referer: &str, accept_language: &str) -> Self {
        let (user_agent, user_agent_ends) = beginning(user_agent);
        let (referer, referer_length) = beginning(referer);
        let (accept_language, _) = beginning(accept_language);
        Self {
            texts: [user_agent, referer, accept_language].concat().into(),
            user_agent_ends,
            referer_ends: user_agent_ends + referer_length,
        }
    }

    /// The length of all three, in bytes.
    pub fn bytes(&self) -> usize {
        self.texts.len()
    }

    /// The `User-Agent` header, empty when absent.
    pub fn user_agent(&self) -> &str {
        &self.texts[..usize::from(self.user_agent_ends)]
    }

    /// The `Referer` header, empty when absent.
    pub fn referer(&self) -> &str {
        &self.texts[usize::from(self.user_agent_ends)..usize::from(self.referer_ends)]
    }

    /// The `Accept-Language` header, empty when absent.
    pub fn accept_language(&self) -> &str {
        &self.texts[usize::from(self.referer_ends)..]
    }
}

/// The beginning of a header that is kept, and its length.
fn beginning(text: &str) -> (&str, u16) {
    let kept = &text[..text.floor_char_boundary(VisitHeaders::MAX_BYTES.into())];
    let length = u16::try_from(kept.len()).unwrap_or(VisitHeaders::MAX_BYTES);
    (kept, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_header_is_found_again() {
        for [user_agent, referer, accept_language] in [
            ["curl/8.7.1", "https://news.example/", "de-AT,de;q=0.9"],
            ["", "https://news.example/", ""],
            ["Größe", "", "ü"],
            ["", "", ""],
        ] {
            let kept = VisitHeaders::new(user_agent, referer, accept_language);
            assert_eq!(kept.user_agent(), user_agent);
            assert_eq!(kept.referer(), referer);
            assert_eq!(kept.accept_language(), accept_language);
        }
    }

    #[test]
    fn long_headers_are_cut_between_characters() {
        let long = format!("a{}", "ü".repeat(40_000));
        let kept = VisitHeaders::new(&long, &long, &long);
        for text in [kept.user_agent(), kept.referer(), kept.accept_language()] {
            assert_eq!(text.len(), 1_023);
            assert!(long.starts_with(text));
        }
    }
}
