//! Redirects: followed, refused, too many.

use rstest::rstest;
use slugline_outbound::{Client, Error};
use slugline_testkit::assert_matches;

use crate::support::{Listener, Names, Script, client, everything_allowed, get};

#[tokio::test]
async fn a_redirect_is_followed_and_relative_ones_stay_with_their_host() {
    let last = Listener::start(Script::ok("here")).await;
    let first = Listener::start(Script::redirect(&format!("//next.example:{}/b", last.port))).await;
    let url = format!("http://shop.example:{}/a", first.port);
    let fetched = client(&everything_allowed())
        .fetch(get(&url), 10)
        .await
        .unwrap();
    assert_eq!(
        fetched.url.as_str(),
        format!("http://next.example:{}/b", last.port)
    );
    assert_eq!((first.connections(), last.connections()), (1, 1));
}

#[rstest]
#[case("http://127.0.0.2:{port}/")]
#[case("http://169.254.169.254/latest/meta-data/")]
#[case("http://[::1]:{port}/")]
#[case("http://localhost:{port}/")]
#[case("http://user@shop.example:{port}/")]
#[case("http://shop.example:22/")]
#[case("file:///etc/passwd")]
#[case("gopher://shop.example:{port}/")]
#[case("javascript:alert(1)")]
#[tokio::test]
async fn a_redirect_inward_is_refused(#[case] location: &str) {
    let secret = Listener::start(Script::ok("secret")).await;
    let location = location.replace("{port}", &secret.port.to_string());
    let server = Listener::start(Script::redirect(&location)).await;
    let names = everything_allowed();
    let refused = client(&names).status(get(&server.url())).await.unwrap_err();
    assert_matches!(refused, Error::Refused(_), "{location}");
    assert_eq!((server.connections(), secret.connections()), (1, 0));
    assert_eq!(names.lookups(), 0, "{location}");
}

#[tokio::test]
async fn a_redirect_to_a_name_that_leads_inward_is_refused() {
    let secret = Listener::start(Script::ok("secret")).await;
    let location = secret.at("inner.example");
    let server = Listener::start(Script::redirect(&location)).await;
    let names = Names::new(&[&["127.0.0.1", "10.0.0.1"]]);
    let refused = client(&names).status(get(&server.url())).await.unwrap_err();
    assert_matches!(refused, Error::Refused(_));
    assert_eq!((server.connections(), secret.connections()), (1, 0));
}

#[tokio::test]
async fn a_circle_ends_after_the_first_request_and_ten_redirects() {
    let server = Listener::start(Script::redirect("/again")).await;
    let failed = server.status().await;
    assert_matches!(failed, Err(Error::TooManyRedirects { max: 10 }));
    assert_eq!(server.connections(), 1 + Client::MAX_REDIRECTS);
}

#[rstest]
#[case(10, true)]
#[case(11, false)]
#[tokio::test]
async fn ten_hops_are_followed_and_eleven_are_not(#[case] redirects: usize, #[case] arrives: bool) {
    let mut chain = vec![Listener::start(Script::ok("")).await];
    for _ in 0..redirects {
        let next = chain.last().unwrap().port;
        let hop = Script::redirect(&format!("http://127.0.0.1:{next}/"));
        chain.push(Listener::start(hop).await);
    }
    let url = format!("http://127.0.0.1:{}/", chain.last().unwrap().port);
    let result = client(&everything_allowed()).status(get(&url)).await;
    assert_eq!(result.is_ok(), arrives, "{result:?}");
    assert_eq!(chain[0].connections(), usize::from(arrives));
}

#[rstest]
#[case("HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n", 302)]
#[case("HTTP/1.1 304 Not Modified\r\nlocation: http://[::1]/\r\n\r\n", 304)]
#[case("HTTP/1.1 201 Created\r\nlocation: http://[::1]/\r\n\r\n", 201)]
#[tokio::test]
async fn what_only_looks_like_a_redirect_is_an_answer(
    #[case] answer: &'static str,
    #[case] status: u16,
) {
    let server = Listener::start(Script::Say(answer.into())).await;
    let got = server.status().await;
    assert_eq!(got.unwrap(), status);
}

#[rstest]
#[case("http://[")]
#[case("http://a b/")]
#[case("//")]
#[tokio::test]
async fn a_redirect_to_nowhere_is_an_error(#[case] location: &str) {
    let server = Listener::start(Script::redirect(location)).await;
    let failed = server.status().await;
    assert_matches!(failed, Err(Error::BadRedirect));
}
