//! Requests of any method, with bodies that come whole or in parts.

use slugline_testkit::{assert_matches, with};
use std::{convert::Infallible, future::poll_fn, time::Duration};

use http_body_util::channel::Channel;
use hyper::body::Bytes;
use slugline_outbound::{Answer, Client, Error, Method, Outgoing, Policy, Request};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::support::{ALLOWED, Listener, Script, client, everything_allowed, get, strict_client};

/// A server that the test plays itself.
async fn stage() -> (TcpListener, String) {
    let listener = TcpListener::bind((ALLOWED, 0)).await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    (listener, url)
}

/// Reads until the text ends like this.
async fn hear(stream: &mut TcpStream, end: &str) -> String {
    let mut heard = Vec::new();
    while !heard.ends_with(end.as_bytes()) {
        heard.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(heard).unwrap()
}

async fn chunk(answer: &mut Answer) -> Option<Result<Bytes, Error>> {
    poll_fn(|context| answer.body.poll_chunk(context)).await
}

fn post(url: &str, body: Outgoing) -> Request {
    Request {
        method: Method::POST,
        body,
        ..get(url)
    }
}

#[tokio::test]
async fn a_whole_body_is_sent_with_its_length_whatever_the_headers_say() {
    let (listener, url) = stage().await;
    let mut request = post(&url, Outgoing::whole("{\"a\":1}"));
    for (name, value) in [
        ("content-length", "2"),
        ("transfer-encoding", "chunked"),
        ("host", "other.example"),
        ("connection", "keep-alive"),
        ("x-own", "kept"),
    ] {
        request.headers.insert(name, value.parse().unwrap());
    }
    let answered = async {
        let mut stream = listener.accept().await.unwrap().0;
        let mut said = hear(&mut stream, "{\"a\":1}").await;
        said.make_ascii_lowercase();
        let answer = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok";
        stream.write_all(answer).await.unwrap();
        said
    };
    let client = client(&everything_allowed());
    let (answer, said) = tokio::join!(client.fetch(request, 9), answered);
    let answer = answer.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (201, &b"ok"[..]));
    assert!(said.starts_with("post /hook http/1.1\r\n"), "{said}");
    for (header, times) in [
        ("\r\ncontent-length: 7\r\n", 1),
        ("\r\nx-own: kept\r\n", 1),
        ("\r\nconnection: close\r\n", 1),
        ("content-length", 1),
        ("transfer-encoding", 0),
        ("other.example", 0),
    ] {
        assert_eq!(said.matches(header).count(), times, "{header}: {said}");
    }
}

#[tokio::test]
async fn bodies_flow_both_ways_while_they_are_made() {
    let (listener, url) = stage().await;
    let (mut up, body) = Channel::<Bytes, Infallible>::new(1);
    let client = client(&everything_allowed());
    let request = post(&url, Outgoing::arriving(body));
    let talking = tokio::spawn(async move { client.begin(request).await.unwrap() });

    let mut server = listener.accept().await.unwrap().0;
    up.send_data("first".into()).await.unwrap();
    let head = hear(&mut server, "first\r\n").await;
    assert!(
        head.to_ascii_lowercase()
            .contains("transfer-encoding: chunked"),
        "{head}"
    );
    // The server begins to answer before it has read everything.
    let begun = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n";
    server.write_all(begun).await.unwrap();
    let mut answer = talking.await.unwrap();
    assert_eq!(answer.body.length(), None);
    assert_eq!(chunk(&mut answer).await.unwrap().unwrap(), "one");

    up.send_data("second".into()).await.unwrap();
    drop(up);
    hear(&mut server, "second\r\n0\r\n\r\n").await;
    server.write_all(b"3\r\ntwo\r\n0\r\n\r\n").await.unwrap();
    assert_eq!(chunk(&mut answer).await.unwrap().unwrap(), "two");
    assert!(chunk(&mut answer).await.is_none());
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error_where_it_breaks_off() {
    let (listener, url) = stage().await;
    let server = async {
        let mut stream = listener.accept().await.unwrap().0;
        hear(&mut stream, "\r\n\r\n").await;
        let half = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf";
        stream.write_all(half).await.unwrap();
    };
    let client = client(&everything_allowed());
    let (answer, ()) = tokio::join!(client.begin(get(&url)), server);
    let mut answer = answer.unwrap();
    assert_eq!(answer.body.length(), Some(10));
    assert_eq!(chunk(&mut answer).await.unwrap().unwrap(), "half");
    assert_matches!(chunk(&mut answer).await.unwrap(), Err(Error::Http(_)));
}

#[tokio::test]
async fn dropping_an_answer_closes_the_connection() {
    let (listener, url) = stage().await;
    let client = client(&everything_allowed());
    let asking = tokio::spawn(async move { client.begin(get(&url)).await.unwrap() });
    let mut server = listener.accept().await.unwrap().0;
    hear(&mut server, "\r\n\r\n").await;
    let endless = b"HTTP/1.1 200 OK\r\n\r\nbegun";
    server.write_all(endless).await.unwrap();
    drop(asking.await.unwrap());
    // The stream ends or is reset, because bytes were left unread.
    assert_matches!(server.read(&mut [0]).await, Ok(0) | Err(_));
}

#[tokio::test]
async fn only_reading_requests_are_repeated_for_a_redirect() {
    let last = Listener::start(Script::ok("here")).await;
    let to_last = Script::redirect(&last.url());
    let first = Listener::start(to_last).await;
    let url = first.url();
    let client = client(&everything_allowed());
    let head = with(get(&url), |it| it.method = Method::HEAD);
    assert_eq!(client.status(head).await.unwrap(), 200);
    let with_body = with(get(&url), |it| it.body = Outgoing::whole("x"));
    for handed_back in [post(&url, Outgoing::default()), with_body] {
        assert_eq!(client.status(handed_back).await.unwrap(), 302);
    }
    assert_eq!(last.connections(), 1);
    assert!(last.requests()[0].starts_with("HEAD / "));
}

#[tokio::test]
async fn an_authorization_stays_with_its_origin() {
    let last = Listener::start(Script::ok("")).await;
    let away = last.url();
    let first = Listener::start(Script::redirect(&away)).await;
    let mut request = get(&first.url());
    for name in ["authorization", "x-own"] {
        request.headers.insert(name, "secret".parse().unwrap());
    }
    client(&everything_allowed()).status(request).await.unwrap();
    assert!(first.requests()[0].contains("authorization: secret\r\n"));
    assert!(!last.requests()[0].contains("authorization"));
    assert!(last.requests()[0].contains("x-own: secret\r\n"));
}

#[tokio::test]
async fn a_server_that_the_operator_named_may_be_inside_and_sends_nobody_on() {
    let inside = Listener::start(Script::redirect("http://127.0.0.1:1/")).await;
    let own = Client::new(Policy::for_operators_servers());
    for host in ["127.0.0.1", "localhost"] {
        let url = format!("http://{host}:{}/", inside.port);
        assert_eq!(own.status(get(&url)).await.unwrap(), 302);
        let others = strict_client(&everything_allowed()).status(get(&url)).await;
        assert_matches!(others, Err(Error::Refused(_)));
    }
    assert_eq!(inside.connections(), 2);
}

#[tokio::test]
async fn a_request_body_that_breaks_off_ends_the_request() {
    let (listener, url) = stage().await;
    let (mut up, body) = Channel::<Bytes, std::io::Error>::new(1);
    let client = client(&everything_allowed());
    let request = Request {
        timeout: Duration::from_secs(20),
        ..post(&url, Outgoing::arriving(body))
    };
    let talking = tokio::spawn(async move { client.begin(request).await });
    let mut server = listener.accept().await.unwrap().0;
    up.send_data("half".into()).await.unwrap();
    hear(&mut server, "half\r\n").await;
    up.abort(std::io::ErrorKind::ConnectionReset.into());
    assert_matches!(talking.await.unwrap(), Err(Error::Http(_)));
}
