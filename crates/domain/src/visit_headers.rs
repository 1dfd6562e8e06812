//! The parts of a request that the access log reads.

use crate::Campaign;

/// The beginnings of three request headers of a visit, and the parameters of its query
/// that name a campaign. They share one allocation, because many visits wait in a queue
/// at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitHeaders {
    /// The four texts, one after the other.
    texts: Box<str>,
    user_agent_ends: u16,
    referer_ends: u16,
    accept_language_ends: u16,
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
        let (accept_language, accept_language_length) = beginning(accept_language);
        let referer_ends = user_agent_ends + referer_length;
        Self {
            texts: [user_agent, referer, accept_language].concat().into(),
            user_agent_ends,
            referer_ends,
            accept_language_ends: referer_ends + accept_language_length,
        }
    }

    /// The most bytes kept of a parameter of the query, its name included. The longest
    /// value that is stored fits, also with each byte percent-encoded.
    pub const PARAMETER_MAX_BYTES: usize = 400;

    /// Keeps the parameters of a query that name a campaign, as they are written; of
    /// several with the same name, the first one with a value. The rest of a query may
    /// hold secrets, so it is not kept.
    #[must_use]
    pub fn with_query(mut self, query: &str) -> Self {
        if query.is_empty() {
            return self;
        }
        let campaign: Vec<&str> = Campaign::PARAMETERS
            .into_iter()
            .filter_map(|parameter| {
                let pair = query.split('&').find(|pair| is_of(parameter, pair))?;
                Some(&pair[..pair.floor_char_boundary(Self::PARAMETER_MAX_BYTES)])
            })
            .collect();
        if !campaign.is_empty() {
            let before = &self.texts[..usize::from(self.accept_language_ends)];
            self.texts = [before, &campaign.join("&")].concat().into();
        }
        self
    }

    /// The length of all texts, in bytes.
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
        &self.texts[usize::from(self.referer_ends)..usize::from(self.accept_language_ends)]
    }

    /// A query of the parameters that name a campaign, empty when there are none.
    pub fn campaign_query(&self) -> &str {
        &self.texts[usize::from(self.accept_language_ends)..]
    }
}

/// Returns whether a pair of a query gives a parameter a value. Programs write the name
/// in any case.
fn is_of(parameter: &str, pair: &str) -> bool {
    pair.split_once('=')
        .is_some_and(|(name, value)| name.eq_ignore_ascii_case(parameter) && !value.is_empty())
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
    fn only_the_campaign_of_a_query_is_kept() {
        let headers = VisitHeaders::new("curl/8.7.1", "", "de");
        let kept = |query| {
            headers
                .clone()
                .with_query(query)
                .campaign_query()
                .to_owned()
        };
        for (query, expected) in [
            ("", ""),
            ("token=secret&utm_id=7", ""),
            ("utm_source", ""),
            ("a=b&utm_source=x", "utm_source=x"),
            (
                "utm_campaign=c%20d&t=s&UTM_Source=x",
                "UTM_Source=x&utm_campaign=c%20d",
            ),
            ("utm_medium=&utm_medium=1&utm_medium=2", "utm_medium=1"),
        ] {
            assert_eq!(kept(query), expected, "{query}");
        }
        let length = kept(&format!("utm_source={}", "ü".repeat(9_000))).len();
        assert_eq!(length, 399);
        let with_campaign = headers.clone().with_query("utm_source=x");
        assert_eq!(with_campaign.user_agent(), "curl/8.7.1");
        assert_eq!(with_campaign.accept_language(), "de");
        assert_eq!(
            with_campaign.bytes(),
            headers.bytes() + "utm_source=x".len()
        );
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
