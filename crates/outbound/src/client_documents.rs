//! Documents in which applications describe themselves (client id metadata documents).

use std::time::Duration;

use async_trait::async_trait;
use hyper::{
    HeaderMap,
    header::{ACCEPT, CACHE_CONTROL, HeaderValue},
};
use serde::Deserialize;
use slugline_domain::{
    assistants::{ClientDocument, ClientDocuments, DocumentFailure},
    with_causes,
};
use url::Url;

use crate::{Client, Error, Policy, Redirects, Request};

/// Fetches documents over `https`. It follows no redirect, because the document speaks for its own
/// address.
#[derive(Clone, Debug)]
pub struct HttpClientDocuments(Client);

impl HttpClientDocuments {
    const TIMEOUT: Duration = Duration::from_secs(5);
    const MAX_BYTES: usize = 64 << 10;

    /// Fetches within these targets.
    pub fn new(policy: Policy) -> Self {
        Self(Client::new(Policy {
            redirects: Redirects::HandBack,
            ..policy
        }))
    }
}

/// The members that count. A description has many others.
#[derive(Deserialize)]
struct Described {
    client_id: String,
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
}

#[async_trait]
impl ClientDocuments for HttpClientDocuments {
    async fn fetch(&self, address: &Url) -> Result<ClientDocument, DocumentFailure> {
        if address.scheme() != "https" {
            return Err(DocumentFailure::Refused);
        }
        let mut request = Request::get(address.clone(), Self::TIMEOUT);
        let accepted = HeaderValue::from_static("application/json");
        request.headers.insert(ACCEPT, accepted);
        let fetched = self.0.fetch(request, Self::MAX_BYTES).await;
        let fetched = fetched.map_err(|error| {
            if matches!(error, Error::Refused(_)) {
                DocumentFailure::Refused
            } else {
                DocumentFailure::Unreachable(with_causes(&error))
            }
        })?;
        if fetched.status != 200 {
            let text = format!("its status is {}", fetched.status);
            return Err(DocumentFailure::Unreachable(text));
        }
        let read = serde_json::from_slice::<Described>(&fetched.body);
        let described = read.map_err(|error| DocumentFailure::Unreadable(error.to_string()))?;
        Ok(ClientDocument {
            client_id: described.client_id,
            client_name: described.client_name,
            redirect_uris: described.redirect_uris,
            fresh_for: fresh_for(&fetched.headers),
        })
    }
}

/// The time for which an answer may be kept (RFC 9111, section 5.2.2); none if it must not be.
fn fresh_for(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(CACHE_CONTROL);
    let mut directives = values
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|directive| directive.trim().to_ascii_lowercase());
    let mut life = None;
    for directive in &mut directives {
        if directive == "no-store" || directive == "no-cache" {
            return Some(Duration::ZERO);
        }
        if let Some(seconds) = directive.strip_prefix("max-age=") {
            life = seconds
                .trim_matches('"')
                .parse()
                .ok()
                .map(Duration::from_secs);
        }
    }
    life
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_that_point_inward_are_refused() {
        let documents = HttpClientDocuments::new(Policy::default());
        for inward in [
            "https://127.0.0.1/client.json",
            "https://localhost/client.json",
            "https://[::1]/client.json",
            "https://10.0.0.1/client.json",
            "https://169.254.169.254/latest/meta-data",
            "http://example.com/client.json",
        ] {
            let refused = documents.fetch(&inward.parse().unwrap()).await;
            assert_eq!(refused, Err(DocumentFailure::Refused), "{inward}");
        }
    }

    #[test]
    fn headers_say_for_how_long_a_document_may_be_kept() {
        for (value, expected) in [
            ("max-age=60", Some(60)),
            ("public, Max-Age=\"60\"", Some(60)),
            ("max-age=60, no-store", Some(0)),
            ("no-cache", Some(0)),
            ("max-age=x", None),
            ("public", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, value.parse().unwrap());
            assert_eq!(
                fresh_for(&headers),
                expected.map(Duration::from_secs),
                "{value}"
            );
        }
        assert_eq!(fresh_for(&HeaderMap::new()), None);
    }
}
