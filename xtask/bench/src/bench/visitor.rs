//! A visitor, who follows no redirect.

use std::time::Duration;

use anyhow::Result;
use ureq::Agent;

use super::instance::{Instance, TOKEN};

/// The connections that a browser keeps to a server.
pub(crate) const CONNECTIONS: usize = 6;

/// A client with connections of its own.
#[derive(Debug)]
pub(crate) struct Visitor(Agent);

/// An answer of any status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The address to which a redirect leads; empty for other answers.
    pub(crate) location: String,
    pub(crate) text: String,
}

impl Visitor {
    pub(crate) fn new() -> Self {
        Self::patient(Duration::from_secs(30))
    }

    /// A client that waits for an answer as long as this.
    pub(crate) fn patient(patience: Duration) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(patience))
            .max_idle_connections_per_host(CONNECTIONS)
            // The service closes idle connections after five seconds.
            .max_idle_age(Duration::from_secs(2))
            .build();
        Self(agent.into())
    }

    pub(crate) fn visit(&self, node: &Instance, path: &str) -> Result<Answer> {
        self.send(node, "GET", path, String::new())
    }

    /// Sends a request, with the token of benchmarks.
    pub(crate) fn send(
        &self,
        node: &Instance,
        method: &str,
        path: &str,
        body: String,
    ) -> Result<Answer> {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", node.origin()));
        if path.starts_with("/api/") {
            request = request
                .header("authorization", format!("Bearer {TOKEN}"))
                .header("content-type", "application/json");
        }
        let mut answer = if body.is_empty() {
            self.0.run(request.body(())?)?
        } else {
            self.0.run(request.body(body)?)?
        };
        let location = answer.headers().get("location");
        let location = location.and_then(|value| value.to_str().ok());
        Ok(Answer {
            status: answer.status().as_u16(),
            location: location.unwrap_or_default().to_owned(),
            text: answer.body_mut().read_to_string()?,
        })
    }
}
