//! HTTP for tests, with faults.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use ureq::Agent;

use crate::clickhouse::wire::{ClickHouseWire, WireAnswer, WireBody, WireError, WireRequest};

/// Bytes of one portion of a body: so few that rows arrive in parts.
const PORTION: usize = 100;

/// A real client that can be told to lose answers.
#[derive(Debug)]
pub(super) struct TestWire {
    agent: Agent,
    /// Answers that will be lost, after the server has acted.
    lose: AtomicUsize,
}

impl Default for TestWire {
    fn default() -> Self {
        Self {
            agent: Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .build()
                .into(),
            lose: AtomicUsize::new(0),
        }
    }
}

impl TestWire {
    /// Loses the next answers to insertions.
    pub(super) fn lose(&self, answers: usize) {
        self.lose.store(answers, Ordering::SeqCst);
    }

    pub(super) fn answers_to_lose(&self) -> usize {
        self.lose.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ClickHouseWire for TestWire {
    async fn post(&self, request: WireRequest) -> Result<WireAnswer, WireError> {
        let agent = self.agent.clone();
        let inserts = request
            .url
            .query()
            .is_some_and(|query| query.contains("INSERT"));
        let answer = tokio::task::spawn_blocking(move || {
            let mut post = agent.post(request.url.as_str());
            for (name, value) in request.headers {
                post = post.header(name, value);
            }
            let post = post.config().timeout_global(Some(request.within)).build();
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
