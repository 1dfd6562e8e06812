//! The domain's prober, on the guarded client.

use std::time::Instant;

use async_trait::async_trait;
use hyper::{
    HeaderMap,
    header::{ACCEPT_LANGUAGE, HeaderValue, USER_AGENT},
};
use slugline_domain::{
    ProbeCaller, ProbeFailure, ProbeOutcome, ProbeRequest, ports::LinkProber, with_causes,
};
use url::Url;

use crate::{Client, Error, Request};

/// Sent if the caller sends no `User-Agent`: many sites answer no request
/// without one.
pub(crate) const OWN_USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("Slugline/", env!("CARGO_PKG_VERSION")));

/// Asks destinations whether they answer.
#[derive(Clone, Debug)]
pub struct HttpProber {
    client: Client,
}

impl HttpProber {
    /// Probes with this client.
    pub fn new(client: Client) -> Self {
        Self { client }
    }
}

#[async_trait]
impl LinkProber for HttpProber {
    async fn probe(&self, request: ProbeRequest) -> ProbeOutcome {
        let started = Instant::now();
        let result = self.answer(request).await;
        ProbeOutcome {
            result,
            duration: started.elapsed(),
        }
    }
}

impl HttpProber {
    /// Asks, and hangs up after the head of the answer. Returns its status.
    async fn answer(&self, request: ProbeRequest) -> Result<u16, ProbeFailure> {
        let url = Url::parse(request.destination.uri().as_str());
        let url = url.map_err(|error| ProbeFailure::Failed(error.to_string()))?;
        let get = Request {
            headers: headers(&request.caller),
            ..Request::get(url, request.timeout.get())
        };
        let answer = self.client.begin(get).await;
        Ok(answer.map_err(|error| failure(&error))?.status)
    }
}

/// The caller's headers, if they are valid.
fn headers(caller: &ProbeCaller) -> HeaderMap {
    let value = |text: &Option<String>| HeaderValue::from_bytes(text.as_deref()?.as_bytes()).ok();
    let mut headers = HeaderMap::new();
    let user_agent = value(&caller.user_agent).unwrap_or(OWN_USER_AGENT);
    headers.insert(USER_AGENT, user_agent);
    if let Some(language) = value(&caller.accept_language) {
        headers.insert(ACCEPT_LANGUAGE, language);
    }
    headers
}

fn failure(error: &Error) -> ProbeFailure {
    if let Error::Refused(_) = error {
        return ProbeFailure::NotAllowed;
    }
    ProbeFailure::Failed(with_causes(error))
}
