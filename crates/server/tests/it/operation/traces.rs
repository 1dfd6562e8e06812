//! Traces as a collector gets them, by OTLP over HTTP. These tests need the feature `otel`:
//!
//! `cargo xtask test -- -p slugline --features otel --test it -- traces::`

use std::{fs, path::Path};

use serde_json::json;

use crate::support::{
    closed_port::ClosedPort,
    outsider::{Outsider, answer},
    server::{Server, TOKEN, command},
};

/// A span, as the protocol has it.
#[derive(Clone, Debug, PartialEq)]
struct Span {
    trace: String,
    id: String,
    parent: String,
    name: String,
    kind: u64,
    /// Attributes with texts.
    texts: Vec<(String, String)>,
}

impl Span {
    fn text(&self, name: &str) -> &str {
        let found = self.texts.iter().find(|(given, _)| given == name);
        found.map_or("", |(_, value)| value)
    }
}

fn collector() -> Outsider {
    // An empty message says that everything was taken.
    Outsider::start(|_| answer("200 OK", ""))
}

fn start(collector: &str, share: &str, log: &Path) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path());
    command
        .env("SLUGLINE_TRACES_URL", collector)
        .env("SLUGLINE_TRACES_SHARE", share)
        .env("SLUGLINE_LOG_REQUESTS", "true");
    Server::start_logging_json(command, folder, log)
}

/// Every span that the collector got. A service that stops has sent all of them.
fn spans(collector: &Outsider) -> Vec<Span> {
    let mut spans = Vec::new();
    for heard in collector.heard() {
        assert_eq!(heard.line, "POST /v1/traces HTTP/1.1");
        let form = heard.header("content-type");
        assert_eq!(form, Some("application/x-protobuf"));
        // ExportTraceServiceRequest, ResourceSpans, ScopeSpans.
        for resource in messages(&heard.body, 1) {
            for scope in messages(&resource, 2) {
                spans.extend(messages(&scope, 2).iter().map(|span| read(span)));
            }
        }
    }
    spans
}

fn read(span: &[u8]) -> Span {
    let bytes = |number| messages(span, number).pop().unwrap_or_default();
    let hexadecimal = |number| -> String {
        let digits = bytes(number).into_iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    };
    let text = |bytes: Option<Vec<u8>>| String::from_utf8(bytes.unwrap_or_default()).unwrap();
    let attributes = messages(span, 9).into_iter().map(|pair| {
        let value = messages(&pair, 2).pop().unwrap_or_default();
        let name = text(messages(&pair, 1).pop());
        (name, text(messages(&value, 1).pop()))
    });
    let kind = fields(span).into_iter().find(|field| field.0 == 6);
    Span {
        trace: hexadecimal(1),
        id: hexadecimal(2),
        parent: hexadecimal(4),
        name: text(messages(span, 5).pop()),
        kind: kind.map_or(0, |(_, kind, _)| kind),
        texts: attributes.collect(),
    }
}

/// The values of one field of a message that are messages, texts or bytes.
fn messages(message: &[u8], wanted: u64) -> Vec<Vec<u8>> {
    let fields = fields(message).into_iter();
    let of_the_field = fields.filter(|(number, ..)| *number == wanted);
    of_the_field.filter_map(|(_, _, bytes)| bytes).collect()
}

/// The fields of a message of Protocol Buffers: number, value, and the bytes of which the value is
/// the length. Read without the library that wrote them.
fn fields(mut message: &[u8]) -> Vec<(u64, u64, Option<Vec<u8>>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let length = 1 + bytes.iter().position(|byte| byte & 0x80 == 0).unwrap();
        let groups = take(bytes, length).iter().rev();
        groups.fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
    }
    fn take<'b>(bytes: &mut &'b [u8], count: usize) -> &'b [u8] {
        bytes.split_off(..count).unwrap()
    }

    let mut fields = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let (value, bytes) = match key & 7 {
            0 => (varint(&mut message), None),
            1 => (
                u64::from_le_bytes(take(&mut message, 8).try_into().unwrap()),
                None,
            ),
            2 => {
                let length = varint(&mut message);
                let bytes = take(&mut message, length.try_into().unwrap());
                (length, Some(bytes.to_owned()))
            }
            other => panic!("no wire type of these messages: {other}"),
        };
        fields.push((key >> 3, value, bytes));
    }
    fields
}

const SERVER: u64 = 2;
const CLIENT: u64 = 3;

#[test]
fn a_request_and_its_calls_of_the_store_are_a_part_of_the_clients_trace() {
    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const CALLER: &str = "b7ad6b7169203331";

    let (collector, folder) = (collector(), tempfile::tempdir().unwrap());
    let log = folder.path().join("log");
    let server = start(&collector.url("/v1/traces"), "1", &log);
    let link = json!({"url": "https://example.com/", "slug": "secretslug"});
    server.create(&link);
    let call = server.request("GET", "/secretslug");
    let call = call.header("traceparent", &format!("00-{TRACE}-{CALLER}-01"));
    assert_eq!(call.send().status, 301);
    server.stop("TERM");

    let spans = spans(&collector);
    let named = |name: &str| {
        let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
        assert_eq!(found.len(), 1, "{name}: {spans:?}");
        found[0].clone()
    };
    let of_the_store = |name: &str, trace: &str| {
        let found = spans
            .iter()
            .find(|span| span.name == name && span.trace == trace);
        found.unwrap_or_else(|| panic!("{name}: {spans:?}")).clone()
    };
    let redirect = named("redirect");
    assert_eq!((&*redirect.trace, &*redirect.parent), (TRACE, CALLER));
    assert_eq!(redirect.kind, SERVER);
    assert_eq!(redirect.text("http.request.method"), "GET");
    assert_eq!(redirect.text("http.route"), "redirect");
    let find = of_the_store("links: find", TRACE);
    assert_eq!((find.parent, find.kind), (redirect.id, CLIENT));

    let created = named("/api/link/create");
    assert_eq!(created.parent, "", "a trace of its own");
    assert_ne!(created.trace, TRACE);
    let change = of_the_store("links: change", &created.trace);
    assert_eq!(change.parent, created.id);

    for heard in collector.heard() {
        let text = String::from_utf8_lossy(&heard.body).into_owned();
        for hidden in ["secretslug", "example.com", TOKEN, "127.0.0.1"] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
    }
    // The log output has its own lines, and no word of traces.
    let log = fs::read_to_string(&log).unwrap();
    assert_eq!(log.matches("slugline::requests").count(), 2, "{log}");
    assert!(
        !log.contains("http.route") && !log.contains("links: "),
        "{log}"
    );
}

#[test]
fn clients_decide_on_their_own_traces_and_the_share_on_all_others() {
    const WANTED: &str = "11111111111111111111111111111111";
    const UNWANTED: &str = "22222222222222222222222222222222";

    let visit = |server: &Server, trace: &str, flags: &str| {
        let call = server.request("GET", "/nothing");
        let parent = format!("00-{trace}-b7ad6b7169203331-{flags}");
        assert_eq!(call.header("traceparent", &parent).send().status, 404);
    };
    let requests = |share: &str| {
        let (collector, folder) = (collector(), tempfile::tempdir().unwrap());
        let log = folder.path().join("log");
        let server = start(&collector.url("/v1/traces"), share, &log);
        visit(&server, WANTED, "01");
        visit(&server, UNWANTED, "00");
        assert_eq!(server.visit("/nothing").status, 404);
        let odd = server.request("GET", "/nothing");
        assert_eq!(odd.header("traceparent", "odd").send().status, 404);
        server.stop("TERM");
        let mut spans = spans(&collector);
        spans.retain(|span| span.kind == SERVER);
        let of = |trace: &str| spans.iter().filter(|span| span.trace == trace).count();
        (of(WANTED), of(UNWANTED), spans.len())
    };
    assert_eq!(requests("0"), (1, 0, 1));
    assert_eq!(requests("1"), (1, 0, 3));
}

#[test]
fn a_collector_that_is_away_is_named_once_and_holds_nothing_up() {
    let (closed, folder) = (ClosedPort::new(), tempfile::tempdir().unwrap());
    let log = folder.path().join("log");
    let server = start(&format!("http://{}/v1/traces", closed.address()), "1", &log);
    for _ in 0..20 {
        assert_eq!(server.visit("/nothing").status, 404);
    }
    assert!(server.stop("TERM").0.success());
    let log = fs::read_to_string(&log).unwrap();
    assert_eq!(log.matches("takes no traces").count(), 1, "{log}");
}
