//! The domain's screen, on a name service that hides dangerous hosts.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use async_trait::async_trait;
use hyper::header::{ACCEPT, HeaderValue};
use serde::Deserialize;
use slugline_domain::{Destination, ScreenVerdict, ports::DestinationScreen};
use tokio::task::JoinSet;
use url::{Host, Url};

use crate::{Client, Error, Request};

/// The time limit for one look-up; the author of a link waits for it.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// The most names that are looked up at the same time. Each costs a connection,
/// and one link may have a destination for every country.
const AT_ONCE: usize = 32;
/// The most bytes of an answer. The addresses of one name take a few hundred.
const MAX_BYTES: usize = 64 << 10;
/// The address with which filtering name services hide a name.
const HIDDEN: &str = "0.0.0.0";

/// Asks a name service over HTTPS, in the JSON form that Google and Cloudflare
/// share (`application/dns-json`).
///
/// It asks for IPv4 addresses only: such services answer `0.0.0.0` for a hidden
/// name even if it has only IPv6 addresses. Asking for those too would double
/// the wait and find nothing more.
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
        let mut request = Request::get(url, LOOKUP_TIMEOUT);
        let json = HeaderValue::from_static("application/dns-json");
        request.headers.insert(ACCEPT, json);
        let answer = self.client.fetch(request, MAX_BYTES).await?;
        if answer.status != 200 {
            return Err(LookupError::Status(answer.status));
        }
        let found: Found = serde_json::from_slice(&answer.body)?;
        Ok(found.answer.iter().any(|record| record.data == HIDDEN))
    }

    async fn verdict(&self, name: &str) -> ScreenVerdict {
        match self.hides(name).await {
            Ok(true) => ScreenVerdict::Dangerous,
            Ok(false) => ScreenVerdict::Harmless,
            Err(error) => {
                let reason: &dyn std::error::Error = &error;
                tracing::warn!(
                    reason,
                    "the name service did not say whether a host is safe"
                );
                ScreenVerdict::Unknown
            }
        }
    }
}

#[async_trait]
impl DestinationScreen for NameServiceScreen {
    async fn judge(&self, destinations: &[Destination]) -> Vec<ScreenVerdict> {
        let names: Vec<Option<String>> = destinations.iter().map(name_of).collect();
        let mut waiting: BTreeSet<String> = names.iter().flatten().cloned().collect();
        let mut verdicts = HashMap::new();
        let mut lookups = JoinSet::new();
        loop {
            while lookups.len() < AT_ONCE
                && let Some(name) = waiting.pop_first()
            {
                let this = self.clone();
                lookups.spawn(async move {
                    let verdict = this.verdict(&name).await;
                    (name, verdict)
                });
            }
            match lookups.join_next().await {
                Some(Ok((name, verdict))) => drop(verdicts.insert(name, verdict)),
                // A look-up panicked; its name stays unknown.
                Some(Err(_)) => {}
                None => break,
            }
        }
        let known = |name: Option<String>| verdicts.get(&name?).copied();
        names
            .into_iter()
            .map(|name| known(name).unwrap_or(ScreenVerdict::Unknown))
            .collect()
    }
}

/// The name of the destination's host; `None` if the host is an address, which
/// no service hides.
fn name_of(destination: &Destination) -> Option<String> {
    let url = Url::parse(destination.as_str()).ok()?;
    match url.host()? {
        Host::Domain(name) => Some(name.to_owned()),
        Host::Ipv4(_) | Host::Ipv6(_) => None,
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
