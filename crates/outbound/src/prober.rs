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

use crate::{
    Client, Error, Request,
    request::{OWN_NAME, OWN_USER_AGENT},
};

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

/// The caller's headers, if they are valid. Behind the name of the caller's program stands ours, or
/// the check of a link that leads to one with a limit would use a visit of it.
fn headers(caller: &ProbeCaller) -> HeaderMap {
    /// Readers of the header cut it somewhere beyond this.
    const MAX_BYTES: usize = 900;
    let value = |text: &str| HeaderValue::from_bytes(text.as_bytes()).ok();
    let both = |theirs: &str| {
        let theirs = &theirs[..theirs.floor_char_boundary(MAX_BYTES)];
        value(&format!("{theirs} {OWN_NAME} (link check)"))
    };
    let user_agent = caller.user_agent.as_deref().and_then(both);
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, user_agent.unwrap_or(OWN_USER_AGENT));
    if let Some(language) = caller.accept_language.as_deref().and_then(value) {
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
