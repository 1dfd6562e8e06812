//! The way to the collector.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Duration,
};

use anyhow::Context;
use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use slugline_outbound::{Client, Outgoing, Policy};
use tokio::runtime::{Builder, Runtime};

/// The timeout for a batch of spans.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of an answer, which says at most what was refused.
const MAX_ANSWER: usize = 64 << 10;

/// The target of lines about the collector in the log output. This module's own path begins like
/// the target of spans, which the log output never shows.
const LINES: &str = "slugline::collector";

/// Sends batches with the outbound client: one set of certificate authorities, no proxies, no
/// redirects.
#[derive(Debug)]
pub(super) struct Wire {
    client: Client,
    /// The exporter has a thread of its own, which may wait here.
    runtime: Runtime,
    /// The last batch was not taken. Only the first of several failures is logged.
    failing: AtomicBool,
}

impl Wire {
    pub(super) fn new() -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self {
            client: Client::new(Policy::for_operators_servers()),
            runtime: runtime.context("the runtime for traces cannot be started")?,
            failing: AtomicBool::new(false),
        })
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let request = slugline_outbound::Request {
            method: head.method,
            url: head.uri.to_string().parse()?,
            headers: head.headers,
            body: Outgoing::whole(body),
            timeout: TIMEOUT,
        };
        let fetched = self
            .runtime
            .block_on(self.client.fetch(request, MAX_ANSWER))?;
        let mut response = Response::new(Bytes::from(fetched.body));
        *response.status_mut() = fetched.status.try_into()?;
        *response.headers_mut() = fetched.headers;
        Ok(response)
    }

    fn note(&self, trouble: Option<&str>) {
        match (trouble, self.failing.swap(trouble.is_some(), Relaxed)) {
            (Some(trouble), false) => tracing::warn!(
                target: LINES,
                "the collector of SLUGLINE_TRACES_URL takes no traces, and they are lost: {trouble}"
            ),
            (None, true) => tracing::info!(target: LINES, "the collector takes traces again"),
            (Some(_), true) | (None, false) => {}
        }
    }
}

#[async_trait]
impl HttpClient for Wire {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.send(request);
        match &sent {
            Ok(answer) if answer.status().is_success() => self.note(None),
            Ok(answer) => self.note(Some(&format!("it answered {}", answer.status()))),
            Err(error) => self.note(Some(&error.to_string())),
        }
        sent
    }
}
