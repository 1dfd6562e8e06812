//! The outbound guard alone: the status of a page whose address a stranger chose.

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use std::time::Duration;

use slugline_outbound::{AddressPolicy, Client, Error, Policy, Request};

/// The status of the page, unless it or a redirect of it leads into a private network.
async fn status(url: &str) -> Result<u16, Box<dyn std::error::Error>> {
    let intranet = "203.0.113.0/24".parse()?;
    let policy = Policy {
        addresses: AddressPolicy::public_and(vec![intranet]),
        ..Policy::default()
    };
    let request = Request::get(url.parse()?, Duration::from_secs(6));
    match Client::new(policy).status(request).await {
        Err(Error::Refused(reason)) => Err(format!("{url} is refused: {reason}").into()),
        answer => Ok(answer?),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    for url in std::env::args().skip(1) {
        println!("{:?}", status(&url).await);
    }
}

#[tokio::test]
async fn inward_addresses_are_refused() {
    for url in [
        "http://0x7f.1/",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254/",
    ] {
        let refusal = status(url).await.unwrap_err().to_string();
        assert!(refusal.contains("is refused"), "{refusal}");
    }
}
