//! The domain's screen, on a name service that hides dangerous hosts.

use std::time::Duration;

use async_trait::async_trait;
use hyper::header::{ACCEPT, HeaderValue};
use serde::Deserialize;
use slugline_domain::{Destination, ports::DestinationScreen};
use url::{Host, Url};

use crate::{Client, Error, Request};

/// Time for one look-up; whoever makes a link waits for it.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of an answer; addresses of one name take a few hundred.
const MAX_BYTES: usize = 64 << 10;
/// The address that filtering name services give a name they hide.
const HIDDEN: &str = "0.0.0.0";

/// Asks a name service over HTTPS, in the JSON form that Google and Cloudflare
/// share (`application/dns-json`).
///
/// Only IPv4 addresses are asked for: such services give a hidden name
/// `0.0.0.0` even if it has IPv6 addresses alone, so asking for those too would
/// double the wait and find nothing more.
#[derive(Clone, Debug)]
pub struct NameServiceScreen {
    client: Client,
    service: Url,
}

#[derive(Deserialize)]
struct Found {
    #[serde(rename = "Answer", default)]
    answer: Vec<Record>,
}

#[derive(Deserialize)]
struct Record {
    #[serde(default)]
    data: String,
}

impl NameServiceScreen {
    /// Asks this service.
    pub fn new(client: Client, service: Url) -> Self {
        Self { client, service }
    }

    async fn hides(&self, name: &str) -> Result<bool, LookupError> {
        let mut url = self.service.clone();
        url.query_pairs_mut()
            .append_pair("type", "A")
            .append_pair("name", name);
        let mut request = Request::get(url, PATIENCE);
        let json = HeaderValue::from_static("application/dns-json");
        request.headers.insert(ACCEPT, json);
        let answer = self.client.fetch(request, MAX_BYTES).await?;
        if answer.status != 200 {
            return Err(LookupError::Status(answer.status));
        }
        let found: Found = serde_json::from_slice(&answer.body)?;
        Ok(found.answer.iter().any(|record| record.data == HIDDEN))
    }
}

#[async_trait]
impl DestinationScreen for NameServiceScreen {
    async fn flags(&self, destination: &Destination) -> bool {
        let Ok(url) = Url::parse(destination.as_str()) else {
            return false;
        };
        // An address has no name to be hidden.
        let Some(Host::Domain(name)) = url.host() else {
            return false;
        };
        match self.hides(name).await {
            Ok(hidden) => hidden,
            Err(error) => {
                let reason: &dyn std::error::Error = &error;
                tracing::warn!(
                    reason,
                    "the name service did not say whether a host is safe"
                );
                false
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum LookupError {
    #[error("request failed")]
    Request(#[from] Error),
    #[error("its status is {0}")]
    Status(u16),
    #[error("its answer has another shape")]
    Shape(#[from] serde_json::Error),
}
