//! `slugline healthcheck`: asks the service of these settings whether it can do its work.
//!
//! Container engines run it, because an image without a shell has no other program that could.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context, ensure};
use slugline_outbound::{Client, Policy, Request};
use url::Url;

/// The service itself waits at most three seconds for its database before it answers.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of an answer.
const MAX_ANSWER: usize = 64 << 10;

/// Succeeds when the service at `listen` answers that it is ready, and returns its answer.
///
/// # Errors
/// Nothing answers there, or the answer's status is not 200; the error has the answer.
pub(crate) async fn run(listen: SocketAddr) -> anyhow::Result<String> {
    let url = ready(listen)?;
    let request = Request::get(url.clone(), TIMEOUT);
    let client = Client::new(Policy::for_operators_servers());
    let fetched = client.fetch(request, MAX_ANSWER).await;
    let fetched = fetched.with_context(|| format!("{url} does not answer"))?;
    let said = String::from_utf8_lossy(&fetched.body);
    let said = said.trim();
    ensure!(
        fetched.status == 200,
        "{url} answered {}: {said}",
        fetched.status
    );
    Ok(said.to_owned())
}

/// The address to ask. A service that listens on every address is asked on the loopback one.
fn ready(mut listen: SocketAddr) -> anyhow::Result<Url> {
    ensure!(
        listen.port() != 0,
        "SLUGLINE_LISTEN is {listen}: with port 0 each start takes another port, so give the \
         port that the service has"
    );
    if listen.ip().is_unspecified() {
        listen.set_ip(match listen {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    Ok(Url::parse(&format!("http://{listen}/_health/ready"))?)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("127.0.0.1:8080", "http://127.0.0.1:8080/_health/ready")]
    #[case("0.0.0.0:80", "http://127.0.0.1/_health/ready")]
    #[case("[::]:8080", "http://[::1]:8080/_health/ready")]
    #[case("192.0.2.1:1", "http://192.0.2.1:1/_health/ready")]
    fn the_service_is_asked_where_it_listens(#[case] listen: &str, #[case] asked: &str) {
        let url = ready(listen.parse().unwrap()).unwrap();
        assert_eq!(url.as_str(), asked);
    }

    #[test]
    fn a_port_that_is_not_known_is_not_asked() {
        let error = ready("127.0.0.1:0".parse().unwrap()).unwrap_err();
        assert!(error.to_string().contains("SLUGLINE_LISTEN"), "{error}");
    }
}
