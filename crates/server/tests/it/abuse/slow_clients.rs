//! Clients that send or take bytes slowly, endlessly or over many connections.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};

use crate::support::server::{Server, TOKEN, eventually};

/// Far more bytes than the service accepts of anything.
const ENDLESS: usize = 256 << 20;

/// The timeout of the test, so that a fault of the service fails it instead of hanging it.
const GIVE_UP: Duration = Duration::from_mins(1);

/// A connection from an address of this machine, with a receive buffer of this size.
fn connect_by(server: &Server, from: Ipv4Addr, buffer: Option<usize>) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    if let Some(bytes) = buffer {
        socket.set_recv_buffer_size(bytes).unwrap();
    }
    socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
    let address: SocketAddr = server.origin()["http://".len()..].parse().unwrap();
    socket.connect(&address.into()).unwrap();
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(GIVE_UP)).unwrap();
    stream.set_write_timeout(Some(GIVE_UP)).unwrap();
    stream
}

fn connect(server: &Server) -> TcpStream {
    connect_by(server, Ipv4Addr::LOCALHOST, None)
}

/// A connection of a client with a tiny receive buffer.
fn connect_with_little_room(server: &Server) -> TcpStream {
    connect_by(server, Ipv4Addr::LOCALHOST, Some(2048))
}

fn send(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).unwrap();
}

/// Sends the head of a request.
fn ask(stream: &mut TcpStream, method: &str, path: &str, more: &str) {
    send(stream, &head(method, path, more));
}

fn head(method: &str, path: &str, more: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: sl.example\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\n{more}\r\n"
    )
}

/// A connection that the service has certainly accepted.
fn connect_and_ask(server: &Server) -> TcpStream {
    let mut stream = connect(server);
    ask(&mut stream, "GET", "/_health/live", "");
    stream.read_exact(&mut [0; 12]).unwrap();
    stream
}

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";

/// Reads until the service closes the connection.
fn rest_of(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        // The service had more to send, but the client did not read.
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn status(answer: &str) -> u16 {
    let rest = answer.strip_prefix("HTTP/1.1 ");
    let status = rest.and_then(|rest| rest.get(..3)?.parse().ok());
    status.unwrap_or_else(|| panic!("{answer:?}"))
}

fn body(answer: &str) -> Value {
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// Sends chunks until the service stops accepting them.
fn send_without_end(stream: &mut TcpStream) -> usize {
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 1 << 16], b"\r\n"].concat();
    let mut sent = 0;
    while sent < ENDLESS {
        match stream.write_all(&chunk) {
            Ok(()) => sent += chunk.len(),
            Err(error) => {
                let closed = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset];
                assert!(closed.contains(&error.kind()), "{error}");
                break;
            }
        }
    }
    sent
}

#[test]
fn a_body_without_end_is_answered_and_not_read_on() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    for (path, token, expected) in [
        ("/api/link/create", true, 413),
        ("/api/link/create", false, 401),
        ("/api/link/import", true, 413),
        ("/api/mcp", true, 413),
        ("/docs", false, 301),
        ("/nothing", false, 404),
    ] {
        let mut stream = connect(&server);
        let mut head = head("POST", path, CHUNKED);
        if !token {
            head = head.replace(TOKEN, "wrong-guess");
        }
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = stream.try_clone().unwrap();
        let answer = thread::spawn(move || rest_of(&mut reader));
        let sent = send_without_end(&mut stream);
        // The sum of the limits, the bytes discarded after the answer, and the kernel's
        // buffers.
        assert!(sent < 64 << 20, "{path}: {sent} bytes were taken");
        assert_eq!(status(&answer.join().unwrap()), expected, "{path}");
    }
}

#[test]
fn a_client_that_sends_everything_before_it_reads_still_gets_the_answer() {
    let server = Server::start();
    for more in [CHUNKED, "Content-Length: 2000000\r\n"] {
        let mut stream = connect(&server);
        ask(&mut stream, "POST", "/api/link/create", more);
        let mut body = " ".repeat(2_000_000);
        if more == CHUNKED {
            body = format!("1e8480\r\n{body}\r\n0\r\n\r\n");
        }
        send(&mut stream, &body);
        let answer = rest_of(&mut stream).to_ascii_lowercase();
        assert!(answer.starts_with("http/1.1 413"), "{more}: {answer}");
        assert!(answer.contains("connection: close"), "{answer}");
    }
}

#[test]
fn a_body_that_drips_is_answered_408() {
    let server = Server::start_with(&[("SLUGLINE_BODY_TIMEOUT", "1")]);
    server.create(&json!({"url": "https://example.com/", "slug": "locked", "password": "sesame"}));
    let paths = [
        "/api/link/create",
        "/api/link/import",
        "/api/mcp",
        "/locked",
    ]
    .into_iter();
    let drips = paths.flat_map(|path| [(path, CHUNKED), (path, "Content-Length: 1000\r\n")]);
    let drips = drips.map(|(path, more)| {
        let mut stream = connect(&server);
        ask(&mut stream, "POST", path, more);
        let mut reader = stream.try_clone().unwrap();
        thread::spawn(move || {
            let answer = thread::spawn(move || rest_of(&mut reader));
            let drip: &[u8] = if more == CHUNKED { b"1\r\n \r\n" } else { b" " };
            while !answer.is_finished() && stream.write_all(drip).is_ok() {
                thread::sleep(Duration::from_millis(100));
            }
            (path, answer.join().unwrap())
        })
    });
    for drip in drips.collect::<Vec<_>>() {
        let (path, answer) = drip.join().unwrap();
        assert_eq!(status(&answer), 408, "{path}");
        let body = body(&answer);
        if path == "/api/mcp" {
            let message = body["error"]["message"].as_str().unwrap();
            assert!(message.contains("too slowly"), "{body}");
        } else {
            assert_eq!(body["code"], "request_timeout");
            assert_eq!(body["statusCode"], 408);
        }
    }
}

#[test]
fn a_slow_but_steady_body_is_taken() {
    let server = Server::start_with(&[("SLUGLINE_BODY_TIMEOUT", "1")]);
    let mut link = json!({"url": "https://example.com/", "slug": "steady"}).to_string();
    link.push_str(&" ".repeat(12 << 10));
    let mut stream = connect(&server);
    let more = format!("Content-Length: {}\r\nConnection: close\r\n", link.len());
    ask(&mut stream, "POST", "/api/link/create", &more);
    // Takes longer than the timeout, but each pause is shorter.
    for piece in link.as_bytes().chunks(1 << 10) {
        thread::sleep(Duration::from_millis(200));
        stream.write_all(piece).unwrap();
    }
    assert_eq!(status(&rest_of(&mut stream)), 201);
}

#[test]
fn a_later_head_that_drips_ends_the_connection() {
    let server = Server::start_with(&[("SLUGLINE_HEAD_TIMEOUT", "1")]);
    let mut stream = connect(&server);
    ask(&mut stream, "GET", "/_health/live", "");
    let mut reader = stream.try_clone().unwrap();
    let answer = thread::spawn(move || rest_of(&mut reader));
    let mut drips = 0;
    while !answer.is_finished() {
        assert!(drips < 600, "the connection stays open");
        drips += 1;
        let _ = stream.write_all(b"G");
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(status(&answer.join().unwrap()), 200);
}

#[test]
fn a_reader_that_stops_is_cut_off_and_a_slow_one_gets_everything() {
    let server = Server::start_with(&[("SLUGLINE_ANSWER_TIMEOUT", "1")]);
    let whole = server.visit("/_docs/scalar").text.len();
    let mut stops = connect_with_little_room(&server);
    ask(&mut stops, "GET", "/_docs/scalar", "");
    let mut slow = connect(&server);
    ask(&mut slow, "GET", "/_docs/scalar", "Connection: close\r\n");
    let mut taken = Vec::new();
    let mut piece = vec![0; 128 << 10];
    loop {
        let read = slow.read(&mut piece).unwrap();
        if read == 0 {
            break;
        }
        taken.extend_from_slice(&piece[..read]);
        thread::sleep(Duration::from_millis(100));
    }
    let text = String::from_utf8(taken).unwrap();
    assert_eq!(text.split_once("\r\n\r\n").unwrap().1.len(), whole);
    // By now the service has closed the other connection, with its unread bytes.
    assert!(rest_of(&mut stops).len() < whole);
}

#[test]
fn requests_are_not_read_while_their_answers_are_not() {
    let server = Server::start_with(&[("SLUGLINE_ANSWER_TIMEOUT", "2")]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let mut stream = connect_with_little_room(&server);
    let many = "GET /docs HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2000);
    let mut sent = 0;
    while stream.write_all(many.as_bytes()).is_ok() {
        sent += many.len();
        assert!(sent < ENDLESS, "the service reads on");
    }
    // Each answered request is a visit, and the kernel's buffers hold some hundred answers.
    let mut visits = 0;
    eventually("visits are counted", || {
        let counters = server.get("/api/stats/counters").json();
        visits = counters["data"][0]["visits"].as_u64().unwrap_or(0);
        visits > 0
    });
    assert!(visits < 3000, "{visits} requests were answered");
}

#[test]
fn a_client_has_so_many_connections_and_others_have_theirs() {
    let server = Server::start_with(&[("SLUGLINE_CONNECTIONS_PER_CLIENT", "3")]);
    let asks = head("GET", "/_health/live", "Connection: close\r\n");
    let held: Vec<TcpStream> = (0..3).map(|_| connect_and_ask(&server)).collect();
    let mut fourth = connect(&server);
    // The service may have closed it before the client sends the request.
    let _ = fourth.write_all(asks.as_bytes());
    assert_eq!(rest_of(&mut fourth), "", "one too many");

    let mut other = connect_by(&server, Ipv4Addr::new(127, 0, 0, 2), None);
    send(&mut other, &asks);
    assert_eq!(status(&rest_of(&mut other)), 200);

    drop(held);
    eventually("the client may connect again", || {
        let mut again = connect(&server);
        let _ = again.write_all(asks.as_bytes());
        rest_of(&mut again).starts_with("HTTP/1.1 200")
    });
}

#[test]
fn a_trusted_proxy_has_as_many_connections_as_it_likes() {
    let server = Server::start_with(&[
        ("SLUGLINE_CONNECTIONS_PER_CLIENT", "1"),
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.0/8"),
    ]);
    let _held: Vec<TcpStream> = (0..5).map(|_| connect_and_ask(&server)).collect();
    assert_eq!(server.visit("/_health/live").status, 200);
}

#[test]
fn two_hundred_slow_connections_keep_no_visitor_waiting_and_end() {
    let server = Server::start_with(&[("SLUGLINE_HEAD_TIMEOUT", "5")]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let mut slow: Vec<TcpStream> = (0..200)
        .map(|number| connect_by(&server, Ipv4Addr::new(127, 0, 1, number), None))
        .collect();
    for stream in &mut slow {
        send(stream, "GET /docs HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    }
    for _ in 0..200 {
        assert_eq!(server.visit("/docs").status, 301);
    }
    assert_eq!(server.get("/api/link/list").status, 200);
    for stream in &mut slow {
        // A client that never ends a request gets no redirect, and is disconnected.
        let answer = rest_of(stream);
        assert!(answer.is_empty() || status(&answer) == 408, "{answer}");
    }
}

#[test]
fn beyond_all_connections_the_next_one_waits() {
    let server = Server::start_with(&[("SLUGLINE_CONNECTIONS", "2"), ("SLUGLINE_WORKERS", "1")]);
    let held: Vec<TcpStream> = (0..2).map(|_| connect_and_ask(&server)).collect();
    let mut third = connect(&server);
    ask(&mut third, "GET", "/_health/live", "Connection: close\r\n");
    third
        .set_read_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    let waits = third.read(&mut [0]).unwrap_err().kind();
    assert!(
        matches!(waits, ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{waits}"
    );
    drop(held);
    third.set_read_timeout(Some(GIVE_UP)).unwrap();
    assert_eq!(status(&rest_of(&mut third)), 200);
}

#[test]
fn a_connection_outlives_a_body_that_the_service_does_not_read() {
    let server = Server::start();
    let mut stream = connect(&server);
    // The body arrives while the service looks up the unknown slug.
    for slug in ["one", "two"] {
        ask(
            &mut stream,
            "POST",
            &format!("/unknown-{slug}"),
            "Content-Length: 2\r\n",
        );
        send(&mut stream, "{}");
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 404");
        let mut rest = Vec::new();
        let mut byte = [0];
        while !rest.ends_with(b"}") {
            stream.read_exact(&mut byte).unwrap();
            rest.push(byte[0]);
        }
        let text = String::from_utf8(rest).unwrap().to_ascii_lowercase();
        if text.contains("connection: close") {
            // The service answered first.
            return;
        }
    }
}

#[test]
fn a_head_that_is_too_large_is_answered_431_and_documented() {
    let server = Server::start();
    let mut stream = connect(&server);
    let long = format!("X-Long: {}\r\n", "x".repeat(256 << 10));
    // The service answers before it has read everything.
    let _ = stream.write_all(head("GET", "/_health/live", &long).as_bytes());
    assert_eq!(status(&rest_of(&mut stream)), 431);
    let document = server.visit("/_docs/openapi.json").json();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let answers = operation["responses"].as_object().unwrap();
            assert!(answers.contains_key("431"), "{method} {path}");
            let takes_a_body = operation["requestBody"].is_object();
            assert_eq!(answers.contains_key("408"), takes_a_body, "{method} {path}");
        }
    }
}
