//! The client with which the access log reaches the ClickHouse server that a setting names.

use std::future::poll_fn;

use async_trait::async_trait;
use slugline_clickhouse::{ClickHouseWire, WireAnswer, WireBody, WireError, WireRequest};
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
                timeout: request.timeout,
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use slugline_testkit::{ClickHouse, ClickHouseEngine};

    use super::*;

    fn request(server: &ClickHouse, settings: &str, body: &[u8]) -> WireRequest {
        let url = server.url("default").replacen("clickhouse+", "", 1);
        let mut url = url.parse::<url::Url>().unwrap();
        url.set_username("").unwrap();
        url.set_password(None).unwrap();
        url.set_path("");
        url.set_query(Some(settings));
        WireRequest {
            url,
            headers: vec![
                ("x-clickhouse-user", ClickHouse::USER.to_owned()),
                ("x-clickhouse-key", ClickHouse::PASSWORD.to_owned()),
            ],
            body: body.to_owned(),
            timeout: Duration::from_mins(1),
        }
    }

    async fn whole(mut answer: WireAnswer) -> Result<Vec<u8>, WireError> {
        let mut bytes = Vec::new();
        while let Some(more) = answer.body.next().await? {
            bytes.extend(more);
        }
        Ok(bytes)
    }

    #[tokio::test]
    async fn a_server_that_was_killed_is_found_again() {
        let wire = OutboundWire::new();
        let server = ClickHouse::start(ClickHouseEngine::Server);
        let ask = request(&server, "", b"SELECT 'here'");
        let answer = wire.post(ask.clone()).await.unwrap();
        assert_eq!(answer.status, 200);
        assert_eq!(whole(answer).await.unwrap(), b"here\n");
        let server = server.kill();
        wire.post(ask.clone()).await.unwrap_err();
        let _server = server.restart();
        let answer = wire.post(ask).await.unwrap();
        assert_eq!(whole(answer).await.unwrap(), b"here\n");
    }

    #[tokio::test]
    async fn refusals_come_with_their_words() {
        let wire = OutboundWire::new();
        let server = ClickHouse::shared(ClickHouseEngine::Server);
        let mut ask = request(server, "database=none", b"SELECT 1");
        let answer = wire.post(ask.clone()).await.unwrap();
        assert_eq!(answer.status, 404);
        let words = String::from_utf8(whole(answer).await.unwrap()).unwrap();
        assert!(words.starts_with("Code: 81"), "{words}");
        ask.headers[1].1 = "guess".to_owned();
        let answer = wire.post(ask).await.unwrap();
        // ClickHouse answers 401; newer servers answer 403.
        assert!([401, 403].contains(&answer.status));
        let words = String::from_utf8(whole(answer).await.unwrap()).unwrap();
        assert!(words.contains("password"), "{words}");
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_is_no_answer() {
        let wire = OutboundWire::new();
        let server = ClickHouse::start(ClickHouseEngine::Server);
        // This query never ends.
        let ask = request(&server, "", b"SELECT number FROM system.numbers");
        let mut answer = wire.post(ask).await.unwrap();
        assert_eq!(answer.status, 200);
        assert!(answer.body.next().await.unwrap().is_some());
        let _server = server.kill();
        whole(answer).await.unwrap_err();
    }

    #[tokio::test]
    async fn bodies_of_many_megabytes_arrive_whole() {
        const BYTES: usize = 50_000_000;

        let wire = OutboundWire::new();
        let server = ClickHouse::shared(ClickHouseEngine::Server);
        let table = "CREATE TABLE t (number UInt64) ENGINE = MergeTree ORDER BY number";
        let made = wire.post(request(server, "", table.as_bytes())).await;
        assert_eq!(made.unwrap().status, 200);
        let rows = vec![7; BYTES];
        let insert = "query=INSERT INTO t FORMAT RowBinary";
        let inserted = wire.post(request(server, insert, &rows)).await.unwrap();
        assert_eq!(inserted.status, 200);
        let ask = request(server, "", b"SELECT number FROM t FORMAT RowBinary");
        let answer = wire.post(ask).await.unwrap();
        assert_eq!(whole(answer).await.unwrap(), rows);
    }
}
