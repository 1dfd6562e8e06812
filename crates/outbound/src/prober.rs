//! The domain's prober, on the guarded client.

use std::time::Instant;

use async_trait::async_trait;
use hyper::{
    HeaderMap,
    header::{
        ACCEPT_LANGUAGE, ETAG, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
        LAST_MODIFIED, USER_AGENT,
    },
};
use slugline_domain::{ProbeFailure, ProbeOutcome, ProbeRequest, Validator, ports::LinkProber};
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
        let answer = self.answer(request).await;
        let duration = started.elapsed();
        match answer {
            Ok((status, validator)) => ProbeOutcome {
                result: Ok(status),
                duration,
                validator,
            },
            Err(failure) => ProbeOutcome {
                result: Err(failure),
                duration,
                validator: None,
            },
        }
    }
}

impl HttpProber {
    /// Asks, and hangs up after the head of the answer. Returns its status and validator.
    async fn answer(
        &self,
        request: ProbeRequest,
    ) -> Result<(u16, Option<Validator>), ProbeFailure> {
        let url = Url::parse(request.destination.as_str());
        let url = url.map_err(|error| ProbeFailure::Failed(error.to_string()))?;
        let get = Request {
            headers: headers(&request),
            ..Request::get(url, request.timeout.get())
        };
        let answer = self.client.begin(get).await;
        let answer = answer.map_err(|error| failure(&error))?;
        let validator = validator(&answer.headers);
        // An answer 304 may leave it out.
        let kept = request.validator.filter(|_| answer.status == 304);
        Ok((answer.status, validator.or(kept)))
    }
}

/// The caller's headers, if they are valid, and the condition of the request.
fn headers(request: &ProbeRequest) -> HeaderMap {
    let ProbeRequest {
        caller, validator, ..
    } = request;
    let value = |text: &Option<String>| HeaderValue::from_str(text.as_deref()?).ok();
    let mut headers = HeaderMap::new();
    let user_agent = value(&caller.user_agent).unwrap_or(OWN_USER_AGENT);
    headers.insert(USER_AGENT, user_agent);
    if let Some(language) = value(&caller.accept_language) {
        headers.insert(ACCEPT_LANGUAGE, language);
    }
    if let Some(validator) = validator
        && let Ok(text) = HeaderValue::from_str(validator.as_str())
    {
        let is_etag = validator.is_etag();
        let name = if is_etag {
            IF_NONE_MATCH
        } else {
            IF_MODIFIED_SINCE
        };
        headers.insert(name, text);
    }
    headers
}

/// The validator of an answer. An `ETag` tells more than a moment.
fn validator(headers: &HeaderMap) -> Option<Validator> {
    let of = |name: HeaderName| Validator::parse(headers.get(name)?.to_str().ok()?);
    of(ETAG)
        .filter(Validator::is_etag)
        .or_else(|| of(LAST_MODIFIED))
}

fn failure(error: &Error) -> ProbeFailure {
    if let Error::Refused(_) = error {
        return ProbeFailure::NotAllowed;
    }
    ProbeFailure::Failed(error.with_causes())
}
