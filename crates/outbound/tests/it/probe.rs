//! The domain's prober on the client.

use std::{collections::BTreeSet, time::Duration};

use slugline_domain::{
    Destination, DestinationRules, ProbeCaller, ProbeFailure, ProbeOutcome, ProbeRequest,
    ProbeTimeout, ports::LinkProber,
};
use slugline_outbound::HttpProber;

use crate::support::{Listener, Script, client, everything_allowed, strict_client};

async fn probe(prober: &HttpProber, url: &str, caller: ProbeCaller) -> ProbeOutcome {
    let destination = Destination::parse(url, &DestinationRules::default()).unwrap();
    let timeout = ProbeTimeout::from_seconds(20).unwrap();
    let request = ProbeRequest {
        destination,
        timeout,
        caller,
    };
    prober.probe(request).await
}

#[tokio::test]
async fn only_language_and_program_of_the_caller_are_passed_on() {
    let server = Listener::start(Script::ok("")).await;
    let prober = HttpProber::new(client(&everything_allowed()));
    let caller = ProbeCaller {
        accept_language: Some("de, en;q=0.5".to_owned()),
        user_agent: Some("Browser/1".to_owned()),
    };
    let url = server.url();
    let outcome = probe(&prober, &url, caller).await;
    assert_eq!(outcome.result, Ok(200));
    assert!(outcome.duration > Duration::ZERO);
    probe(&prober, &url, ProbeCaller::default()).await;

    let requests = server.requests();
    let headers = |request: &str| {
        let headers = request.lines().filter_map(|line| line.split_once(": "));
        headers
            .map(|(name, _)| name.to_owned())
            .collect::<BTreeSet<_>>()
    };
    let expected = ["accept-language", "connection", "host", "user-agent"];
    assert_eq!(headers(&requests[0]), expected.map(String::from).into());
    assert!(requests[0].contains("accept-language: de, en;q=0.5\r\n"));
    assert!(requests[0].contains("user-agent: Browser/1 Slugline/"));
    assert!(requests[1].contains("user-agent: Slugline/"));

    let long = ProbeCaller {
        user_agent: Some("Browser/1 ".repeat(1_000)),
        ..ProbeCaller::default()
    };
    probe(&prober, &url, long).await;
    let requests = server.requests();
    let sent = requests[2].split_once("user-agent: ").unwrap().1;
    let named = sent.find("Slugline/").unwrap();
    assert!(named < 1_000, "readers cut long headers: {named}");
}

#[tokio::test]
async fn refusals_are_told_apart_from_failures() {
    let server = Listener::start(Script::ok("")).await;
    let url = server.url();
    let strict = HttpProber::new(strict_client(&everything_allowed()));
    let refused = probe(&strict, &url, ProbeCaller::default()).await;
    assert_eq!(refused.result, Err(ProbeFailure::NotAllowed));
    assert_eq!(server.connections(), 0);
    drop(server);

    let prober = HttpProber::new(client(&everything_allowed()));
    let failed = probe(&prober, &url, ProbeCaller::default()).await;
    let Err(ProbeFailure::Failed(text)) = failed.result else {
        panic!("{failed:?}");
    };
    assert!(text.starts_with("connection failed: "), "{text}");
}
