//! Look-ups: refused addresses, rebinding.

use rstest::rstest;
use slugline_outbound::{Error, Refusal, Resolve, SystemResolver};
use slugline_testkit::assert_matches;

use crate::support::{
    Listener, Names, Script, client, client_within, everything_allowed, get, strict_client,
};

#[tokio::test]
async fn a_name_is_reached_at_the_address_that_was_judged() {
    let server = Listener::start(Script::ok("hello")).await;
    let names = everything_allowed();
    let url = format!("http://shop.example:{}/a?b=c#d", server.port);
    let fetched = client(&names).fetch(get(&url), 5).await.unwrap();
    assert_eq!(
        (fetched.status, fetched.body.as_slice()),
        (200, b"hello".as_slice())
    );
    let requests = server.requests();
    assert!(
        requests[0].starts_with("GET /a?b=c HTTP/1.1\r\n"),
        "{requests:?}"
    );
    assert!(requests[0].contains(&format!("host: shop.example:{}\r\n", server.port)));
}

#[rstest]
#[case::inner(&["127.0.0.1"])]
#[case::mixed_last(&["9.9.9.9", "127.0.0.1"])]
#[case::mixed_first(&["127.0.0.1", "9.9.9.9"])]
#[case::mapped(&["::ffff:127.0.0.1"])]
#[case::nat64(&["64:ff9b::7f00:1"])]
#[tokio::test]
async fn a_name_with_one_inner_address_is_refused_and_nobody_is_called(#[case] answer: &[&str]) {
    let server = Listener::start(Script::ok("secret")).await;
    let names = Names::new(&[answer]);
    let url = server.at("shop.example");
    let refused = strict_client(&names).status(get(&url)).await;
    assert_matches!(refused, Err(Error::Refused(Refusal::Address(_))));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn an_allowed_address_does_not_excuse_its_neighbour() {
    let server = Listener::start(Script::ok("")).await;
    let names = Names::new(&[&["127.0.0.1", "10.0.0.1"]]);
    let url = server.at("shop.example");
    let refused = client(&names).status(get(&url)).await;
    assert_matches!(refused, Err(Error::Refused(_)));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_name_is_looked_up_once_so_it_cannot_change_its_mind() {
    let server = Listener::start(Script::ok("")).await;
    let names = Names::new(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let url = server.at("rebind.example");
    assert_eq!(client(&names).status(get(&url)).await.unwrap(), 200);
    assert_eq!((names.lookups(), server.connections()), (1, 1));
    // The second request makes a look-up of its own, whose answer is checked
    // too.
    let refused = client(&names).status(get(&url)).await.unwrap_err();
    assert_matches!(refused, Error::Refused(_));
    assert_eq!((names.lookups(), server.connections()), (2, 1));
}

#[tokio::test]
async fn a_name_that_turns_inward_between_hops_is_refused() {
    let server = Listener::start_with(|port| {
        Script::redirect(&format!("http://rebind.example:{port}/again"))
    })
    .await;
    let names = Names::new(&[&["127.0.0.1"], &["169.254.169.254"]]);
    let url = server.at("rebind.example");
    let refused = client(&names).status(get(&url)).await;
    assert_matches!(refused, Err(Error::Refused(_)));
    assert_eq!((names.lookups(), server.connections()), (2, 1));
}

#[rstest]
#[case("http://127.0.0.1:{port}/")]
#[case("http://127.1:{port}/")]
#[case("http://0x7f.1:{port}/")]
#[case("http://2130706433:{port}/")]
#[case("http://017700000001:{port}/")]
#[case("http://[::ffff:127.0.0.1]:{port}/")]
#[case("http://localhost:{port}/")]
#[case("http://a.LOCALHOST.:{port}/")]
#[case("http://user:secret@shop.example:{port}/")]
#[case("https://user@shop.example:{port}/")]
#[tokio::test]
async fn a_refused_url_is_never_connected_to_nor_looked_up(#[case] url: &str) {
    let server = Listener::start(Script::ok("secret")).await;
    let names = everything_allowed();
    let url = url.replace("{port}", &server.port.to_string());
    let refused = strict_client(&names).status(get(&url)).await.unwrap_err();
    assert_matches!(refused, Error::Refused(_), "{url}");
    assert_eq!((server.connections(), names.lookups()), (0, 0), "{url}");
}

#[tokio::test]
async fn a_name_without_addresses_and_a_closed_port_fail() {
    let nobody = Names::new(&[&[]]);
    let failed = client(&nobody).status(get("http://gone.example/")).await;
    assert_matches!(failed, Err(Error::Connect(_)));
    let port = Listener::start(Script::ok("")).await.port;
    let url = format!("http://127.0.0.1:{port}/");
    let failed = client(&nobody).status(get(&url)).await;
    assert_matches!(failed, Err(Error::Connect(_)));
}

#[tokio::test]
async fn the_next_address_is_tried_when_one_does_not_answer() {
    let server = Listener::start(Script::ok("")).await;
    // Both addresses are this machine, but a server listens on the second only.
    let names = Names::new(&[&["127.0.0.2", "127.0.0.1"]]);
    let client = client_within("127.0.0.0/8", &names);
    let status = client.status(get(&server.at("shop.example"))).await;
    assert_eq!(status.unwrap(), 200);
}

#[test]
fn looking_a_name_up_takes_no_thread_of_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (finish, finished) = std::sync::mpsc::channel::<()>();
    runtime.block_on(async {
        let busy = tokio::task::spawn_blocking(move || finished.recv());
        let found = SystemResolver::default().addresses("localhost").await;
        assert!(found.unwrap().iter().all(std::net::IpAddr::is_loopback));
        finish.send(()).unwrap();
        busy.await.unwrap().unwrap();
    });
}
