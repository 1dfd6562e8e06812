//! The access log's way to ClickHouse: the client for servers that a setting
//! names.

use std::future::poll_fn;

use async_trait::async_trait;
use slugline_analytics::{ClickHouseWire, WireAnswer, WireBody, WireError, WireRequest};
use slugline_outbound::{Arriving, Client, HeaderMap, Method, Outgoing, Policy, Request};

/// Sends statements with the outbound client: one set of certificate
/// authorities, no proxies, no redirects.
#[derive(Debug)]
pub(crate) struct OutboundWire(Client);

impl OutboundWire {
    pub(crate) fn new() -> Self {
        Self(Client::new(Policy::for_operators_servers()))
    }
}

#[async_trait]
impl ClickHouseWire for OutboundWire {
    async fn post(&self, request: WireRequest) -> Result<WireAnswer, WireError> {
        let mut headers = HeaderMap::new();
        for (name, value) in request.headers {
            headers.insert(name, value.parse()?);
        }
        let answer = self
            .0
            .begin(Request {
                method: Method::POST,
                url: request.url,
                headers,
                body: Outgoing::whole(request.body),
                within: request.within,
            })
            .await?;
        Ok(WireAnswer {
            status: answer.status,
            body: Box::new(Body(answer.body)),
        })
    }
}

#[derive(Debug)]
struct Body(Arriving);

#[async_trait]
impl WireBody for Body {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        let chunk = poll_fn(|context| self.0.poll_chunk(context)).await;
        Ok(chunk.transpose()?.map(|bytes| bytes.to_vec()))
    }
}
