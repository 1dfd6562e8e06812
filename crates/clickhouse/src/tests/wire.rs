//! HTTP for tests, with faults.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use slugline_testkit::ClickHouseEngine;
use ureq::Agent;

use super::lacks;
use crate::connection::{ClickHouseWire, WireAnswer, WireBody, WireError, WireRequest};

/// The number of bytes in one portion of a body: so few that rows arrive in parts.
const PORTION: usize = 100;

/// A real client that loses answers on request.
#[derive(Debug)]
pub(crate) struct TestWire {
    agent: Agent,
    engine: ClickHouseEngine,
    /// The number of answers to lose, after the server has acted.
    lose: AtomicUsize,
    /// The number of insertions of visits that were sent, answered or not.
    shipments: AtomicUsize,
}

impl TestWire {
    pub(crate) fn to(engine: ClickHouseEngine) -> Self {
        Self {
            engine,
            agent: Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .build()
                .into(),
            lose: AtomicUsize::new(0),
            shipments: AtomicUsize::new(0),
        }
    }

    pub(crate) fn engine(&self) -> ClickHouseEngine {
        self.engine
    }

    /// The number of times visits were sent, successfully or not.
    pub(crate) fn shipments(&self) -> usize {
        self.shipments.load(Ordering::SeqCst)
    }

    /// Loses the next answers to insertions.
    pub(crate) fn lose(&self, answers: usize) {
        self.lose.store(answers, Ordering::SeqCst);
    }

    pub(crate) fn answers_to_lose(&self) -> usize {
        self.lose.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ClickHouseWire for TestWire {
    async fn post(&self, mut request: WireRequest) -> Result<WireAnswer, WireError> {
        if self.engine == ClickHouseEngine::Server {
            request.url = lacks::known_settings(&request.url);
            request.body = lacks::known_words(request.body);
        }
        let agent = self.agent.clone();
        let query = request.url.query().unwrap_or_default();
        let inserts = query.contains("INSERT");
        if inserts && query.contains("access_log") {
            self.shipments.fetch_add(1, Ordering::SeqCst);
        }
        let answer = tokio::task::spawn_blocking(move || {
            let mut post = agent.post(request.url.as_str());
            for (name, value) in request.headers {
                post = post.header(name, value);
            }
            let post = post.config().timeout_global(Some(request.timeout)).build();
            let mut answer = post.send(&request.body[..])?;
            let status = answer.status().as_u16();
            let body = answer
                .body_mut()
                .with_config()
                .limit(u64::MAX)
                .read_to_vec()?;
            Ok::<_, ureq::Error>((status, body))
        });
        let (status, body) = answer.await??;
        let one_less = |left: usize| left.checked_sub(1);
        let losing = || {
            self.lose
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
                .is_ok()
        };
        if inserts && losing() {
            return Err("the connection broke off".into());
        }
        let portions = body.chunks(PORTION).map(<[u8]>::to_vec).collect();
        Ok(WireAnswer {
            status,
            body: Box::new(Portions(portions)),
        })
    }
}

#[derive(Debug)]
struct Portions(VecDeque<Vec<u8>>);

#[async_trait]
impl WireBody for Portions {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        Ok(self.0.pop_front())
    }
}
