//! HTTP to a ClickHouse on this machine.

use async_trait::async_trait;
use slugline_clickhouse::{ClickHouseWire, WireAnswer, WireBody, WireError, WireRequest};
use ureq::Agent;

#[derive(Debug)]
pub(crate) struct PlainWire(Agent);

impl Default for PlainWire {
    fn default() -> Self {
        let config = Agent::config_builder().http_status_as_error(false);
        Self(config.build().into())
    }
}

#[async_trait]
impl ClickHouseWire for PlainWire {
    async fn post(&self, request: WireRequest) -> Result<WireAnswer, WireError> {
        let agent = self.0.clone();
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
        let body = Box::new(Whole(Some(body)));
        Ok(WireAnswer { status, body })
    }
}

#[derive(Debug)]
struct Whole(Option<Vec<u8>>);

#[async_trait]
impl WireBody for Whole {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        Ok(self.0.take())
    }
}
