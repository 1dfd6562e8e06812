//! A service that another program starts, with additions of its own.

mod additions; // operations, tools and routes of one's own
mod examples; // those for embedders
mod observers; // what observers hear

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use slugline::{Service, ServiceBuilder, Settings};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use ureq::Agent;

use crate::support::server::{Answer, Call, TOKEN, agent};

/// A service in this process.
struct Embedded {
    runtime: Runtime,
    service: Option<Service>,
    origin: String,
    agent: Agent,
    _folder: TempDir,
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
        Self {
            runtime,
            origin: format!("http://{}", service.address()),
            service: Some(service),
            agent: agent(),
            _folder: folder,
        }
    }

    fn send(&self, method: &str, path: &str, token: Option<&str>, body: &Value) -> Answer {
        let call = Call::of(&self.agent, method, format!("{}{path}", self.origin));
        let call = call.header("accept", "application/json, text/event-stream");
        let token = token.map(|token| format!("Bearer {token}"));
        let token = token.as_deref().map(|token| ("authorization", token));
        let call = call.headers(token.as_slice());
        if body.is_null() {
            return call.header("content-type", "application/json").send();
        }
        call.json(body).send()
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, Some(TOKEN), &Value::Null)
    }

    fn create(&self, slug: &str) {
        let link = json!({"url": "https://example.com/", "slug": slug});
        self.send("POST", "/api/link/create", Some(TOKEN), &link)
            .is(201);
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
        let answer = self.send("POST", "/api/mcp", Some(token), &message).is(200);
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
