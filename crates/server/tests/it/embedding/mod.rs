//! A service that another program starts, with additions of its own.

mod additions; // operations, tools and routes of one's own
mod examples; // those for embedders
mod observers; // what observers hear

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use slugline::{Service, ServiceBuilder, Settings};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use ureq::{Agent, http::Request};

use crate::support::server::TOKEN;

/// A service in this process.
struct Embedded {
    runtime: Runtime,
    service: Option<Service>,
    origin: String,
    agent: Agent,
    _folder: TempDir,
}

/// A status and a body, as text.
struct Answered {
    status: u16,
    text: String,
}

impl Answered {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

fn settings(folder: &TempDir) -> Settings {
    Settings::from_pairs([
        ("SLUGLINE_LISTEN", "127.0.0.1:0"),
        (
            "SLUGLINE_DATA_DIR",
            folder.path().join("data").to_str().unwrap(),
        ),
        ("SLUGLINE_SITE_TOKEN", TOKEN),
        ("SLUGLINE_TOKEN_WRITES_PER_MINUTE", "5"),
        // Every visit is stored.
        ("SLUGLINE_SAMPLE_ABOVE", "0"),
        ("SLUGLINE_SAMPLE_LINK_ABOVE", "0"),
    ])
    .unwrap()
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
}

impl Embedded {
    fn start(add: impl FnOnce(ServiceBuilder<'_>) -> ServiceBuilder<'_>) -> Self {
        let (folder, runtime) = (tempfile::tempdir().unwrap(), runtime());
        let settings = settings(&folder);
        let service = runtime.block_on(add(Service::builder(&settings)).start());
        let service = service.unwrap();
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_mins(2)))
            .max_idle_age(Duration::from_secs(2))
            .build()
            .into();
        Self {
            runtime,
            origin: format!("http://{}", service.address()),
            service: Some(service),
            agent,
            _folder: folder,
        }
    }

    fn send(&self, method: &str, path: &str, token: Option<&str>, body: &Value) -> Answered {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.origin))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let mut response = self.agent.run(request.body(body).unwrap()).unwrap();
        Answered {
            status: response.status().as_u16(),
            text: response.body_mut().read_to_string().unwrap(),
        }
    }

    fn get(&self, path: &str) -> Answered {
        self.send("GET", path, Some(TOKEN), &Value::Null)
    }

    fn create(&self, slug: &str) {
        let link = json!({"url": "https://example.com/", "slug": slug});
        let made = self.send("POST", "/api/link/create", Some(TOKEN), &link);
        assert_eq!(made.status, 201, "{}", made.text);
    }

    /// Makes a named token with this scope.
    fn token(&self, name: &str, scope: &str) -> String {
        let wanted = json!({"name": name, "scopes": [scope]});
        let made = self.send("POST", "/api/tokens", Some(TOKEN), &wanted);
        made.json()["token"].as_str().unwrap().to_owned()
    }

    /// Sends an MCP message with this token and returns its result.
    fn mcp(&self, token: &str, method: &str, params: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = self.send("POST", "/api/mcp", Some(token), &message);
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["result"].clone()
    }

    fn service(&self) -> &Service {
        self.service.as_ref().unwrap()
    }

    fn stop(mut self) {
        let service = self.service.take().unwrap();
        self.runtime.block_on(service.stop()).unwrap();
    }
}

/// The refusal of a start, which must leave nothing behind.
fn refusal(add: impl FnOnce(ServiceBuilder<'_>) -> ServiceBuilder<'_>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(&folder);
    let started = runtime().block_on(add(Service::builder(&settings)).start());
    let refused = format!("{:#}", started.err().unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    refused
}
