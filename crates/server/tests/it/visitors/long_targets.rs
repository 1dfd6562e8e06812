//! Requests with a very long address.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::json;

use crate::support::server::{Server, TOKEN};

/// The longest target that is served, in bytes.
const LONGEST: usize = 65_534;

struct Connection(BufReader<TcpStream>);

struct Answered {
    status: u16,
    head: String,
    body: String,
}

impl Connection {
    fn to(server: &Server) -> Self {
        let address = server.origin().strip_prefix("http://").unwrap();
        let stream = TcpStream::connect(address).unwrap();
        let give_up = Some(Duration::from_mins(1));
        stream.set_read_timeout(give_up).unwrap();
        stream.set_write_timeout(give_up).unwrap();
        Self(BufReader::new(stream))
    }

    fn send(&mut self, requests: &str) {
        self.0.get_mut().write_all(requests.as_bytes()).unwrap();
    }

    fn answer(&mut self) -> Answered {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = self.0.read_line(&mut head).unwrap();
            assert!(read > 0, "the connection ended: {head:?}");
        }
        let head = head.to_ascii_lowercase();
        let length = head.split_once("content-length: ").unwrap().1;
        let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        Answered {
            status: head["http/1.1 ".len()..][..3].parse().unwrap(),
            head,
            body: String::from_utf8(body).unwrap(),
        }
    }

    fn ask(&mut self, target: &str, headers: &str) -> Answered {
        self.send(&request("GET", target, headers));
        self.answer()
    }
}

fn request(method: &str, target: &str, headers: &str) -> String {
    format!(
        "{method} {target} HTTP/1.1\r\nHost: sl.example\r\nAuthorization: Bearer {TOKEN}\r\n\
         {headers}\r\n"
    )
}

/// Ends in as many letters as the target needs to be of this length.
fn target(begin: &str, length: usize) -> String {
    format!("{begin}{}", "x".repeat(length - begin.len()))
}

#[test]
fn an_address_that_is_too_long_is_answered_400_without_a_body() {
    let server = Server::start();
    for length in [LONGEST + 1, 100_000] {
        for begin in ["/api/link/list?q=", "/docs?q="] {
            let refused = Connection::to(&server).ask(&target(begin, length), "");
            assert_eq!(
                (refused.status, refused.body.as_str()),
                (400, ""),
                "{begin}"
            );
        }
    }
    assert_eq!(server.visit("/_health/live").status, 200);
}

#[test]
fn the_longest_address_is_served() {
    let server = Server::start();
    server.create(&json!({
        "url": "https://example.com/", "slug": "docs", "redirectWithQuery": true,
    }));
    let mut connection = Connection::to(&server);
    let answer = connection.ask(&target("/docs?q=", LONGEST), "");
    assert_eq!(answer.status, 301);
    let location = target("https://example.com/?q=", LONGEST - 8 + 23);
    assert!(answer.head.contains(&format!("location: {location}\r\n")));
    let page = connection.ask(&target("/", LONGEST), "");
    assert_eq!(page.status, 404);
}

#[test]
fn long_headers_and_bodies_beside_other_requests_arrive_whole() {
    let server = Server::start();
    let mut connection = Connection::to(&server);
    let short = request("GET", "/_health/live", "");
    let header = format!("Cookie: GET {}\r\n", "x".repeat(100_000));
    let long = request("GET", "/_health/live", &header);
    // The word before the blank looks like a method.
    let comment = format!("GET {}", "x".repeat(100_000));
    let link = json!({"url": "https://example.com/", "slug": "docs", "comment": comment});
    let body = format!("\r\n\r\n{link}");
    let length = format!("Content-Length: {}\r\n", body.len());
    let post = request("POST", "/api/link/create", &length);
    connection.send(&format!("{short}{long}{short}{post}{body}{short}"));
    for status in [200, 200, 200, 400, 200] {
        let answer = connection.answer();
        assert_eq!(answer.status, status, "{}", answer.body);
        if status == 400 {
            assert!(answer.body.contains("2048"), "{}", answer.body);
        }
    }
}
