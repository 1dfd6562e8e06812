//! Requests and calls of a tool under a key, with faults: sent again until they succeed, each makes
//! its link once.

use std::{net::TcpStream, thread::sleep, time::Duration};

use rstest::rstest;
use serde_json::{Value, json};

use super::{
    amount::{Random, factor},
    operation::{Reply, refusal},
    shim::{Fault, Kind},
    sweep::each_call,
    trial::Trial,
};
use crate::support::server::{Answer, Server};

/// A usual run fails one of this many calls in a row, a different one each time.
const STRIDE: u64 = 4;

const ROUTES: [&str; 4] = ["create", "upsert", "import", TOOL];

/// The tool; the other routes are those of REST.
const TOOL: &str = "create_link";

#[rstest]
fn a_request_that_is_repeated_after_a_fault_makes_its_link_once(
    #[values("create", "upsert", "import", TOOL)] route: &str,
) {
    let mut random = Random::new();
    let mut trial = Trial::start();
    let mut number = 0;
    for kind in Kind::ALL.into_iter().chain([Kind::Killed]) {
        each_call(&mut random, kind, STRIDE, |_, first| {
            number += 1;
            let fault = Fault::of(kind, first, kind.once());
            strike(&mut trial, &Request { route, number }, fault)
        });
    }
    trial.table.conclude(random.seed(), 15, 5);
}

#[test]
fn a_request_that_is_repeated_after_its_client_hung_up_or_the_service_died_makes_its_link_once() {
    const BROKEN: &str = "no answer is read";
    /// A change takes a few milliseconds.
    const LONGEST_MICROSECONDS: u64 = 12_000;

    let mut random = Random::new();
    let mut trial = Trial::start();
    let mut outlived = [0; 2];
    for number in 0..u32::try_from(80 * factor()).unwrap() {
        let route = random.one_of(&ROUTES);
        let request = Request { route, number };
        let stream = request.begin(trial.server());
        sleep(Duration::from_micros(random.below(LONGEST_MICROSECONDS)));
        let dies = random.below(3) == 0;
        if dies {
            trial.restart_unseen("KILL");
        }
        drop(stream);
        let row = trial.table.row(BROKEN, route);
        row.injected += 1;
        row.unanswered += 1;
        let before = request.stored(trial.server());
        outlived[usize::from(dies)] += before.len();
        let second = request.send(trial.server()).expect("an answer");
        let made = request.made(&second);
        let made = made.unwrap_or_else(|| panic!("{number}: {}", second.text));
        trial.table.row(BROKEN, route).acknowledged += 1;
        assert!(before.is_empty() || before == [made.clone()], "{before:?}");
        assert_eq!(request.stored(trial.server()), [made]);
    }
    let is_tried = outlived.iter().all(|links| *links > 0);
    assert!(
        is_tried,
        "so many links outlived their client, and the process: {outlived:?}"
    );
    trial.table.conclude(random.seed(), 60, 60);
}

/// Sends the request under a fault and then again. Returns whether a call failed.
fn strike(trial: &mut Trial, request: &Request<'_>, fault: Fault) -> bool {
    let story = format!("{fault:?} {}", request.route);
    trial.faults.set(fault);
    let first = request.send(trial.server());
    let struck = trial.faults.lift();
    let died = first.is_none();
    let made = first.as_ref().and_then(|answer| request.made(answer));
    let reply = match &first {
        None => Reply::Unanswered("the process died".to_owned()),
        Some(_) if made.is_some() => Reply::Acknowledged,
        Some(answer) => request.refusal(answer),
    };
    if let Reply::Improper(answer) = &reply {
        trial.table.wrong(format!("{story}: {answer}"));
    }
    assert!(!died || fault.kind == Kind::Killed, "{story}");
    let row = trial.table.row(format!("{:?}", fault.kind), request.route);
    row.injected += u64::from(struck > 0);
    row.count(&reply);
    if died {
        trial.restart_unseen("KILL");
    }

    let second = request.send(trial.server()).expect("an answer");
    let again = request.made(&second);
    let again = again.unwrap_or_else(|| panic!("{story}: {}", second.text));
    assert!(made.is_none_or(|made| made == again), "{story}: {again}");
    assert_eq!(request.stored(trial.server()), [again], "{story}");
    struck > 0
}

/// A request that makes one link with a generated slug.
struct Request<'r> {
    route: &'r str,
    number: u32,
}

impl Request<'_> {
    /// `None` if there was no answer.
    fn send(&self, server: &Server) -> Option<Answer> {
        let (name, value) = self.header();
        let call = server.api("POST", &self.path()).header(name, &value);
        call.json(&self.body()).try_send().ok()
    }

    /// Sends the request and reads no answer.
    fn begin(&self, server: &Server) -> TcpStream {
        let (name, value) = self.header();
        let header = format!("{name}: {value}\r\n");
        server.begin("POST", &self.path(), &header, &self.body().to_string())
    }

    fn path(&self) -> String {
        match self.route {
            TOOL => "/api/mcp".to_owned(),
            route => format!("/api/link/{route}"),
        }
    }

    fn key(&self) -> String {
        format!("{}-{}", self.route, self.number)
    }

    fn header(&self) -> (&str, String) {
        match self.route {
            TOOL => ("accept", "application/json, text/event-stream".to_owned()),
            _ => ("idempotency-key", self.key()),
        }
    }

    fn body(&self) -> Value {
        match self.route {
            "import" => {
                json!({"version": "1", "links": [{"url": self.url(), "slug": null}]})
            }
            TOOL => {
                let arguments = json!({"url": self.url(), "idempotencyKey": self.key()});
                let params = json!({"name": TOOL, "arguments": arguments});
                json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            }
            _ => json!({"url": self.url()}),
        }
    }

    fn url(&self) -> String {
        format!("https://repeated.example/{}", self.number)
    }

    /// The slugs of the links that it made.
    fn stored(&self, server: &Server) -> Vec<String> {
        let found = server.get(&format!("/api/link/search?url={}", self.url()));
        let found = found.json();
        let slugs = found.as_array().unwrap().iter();
        slugs.map(|link| text(&link["slug"]).unwrap()).collect()
    }

    /// The slug of the link that it made, if it did.
    fn made(&self, answer: &Answer) -> Option<String> {
        match (self.route, answer.status) {
            ("import", 200) => text(&answer.json()["successItems"][0]["slug"]),
            (TOOL, 200) => text(&answer.json()["result"]["structuredContent"]["link"]["slug"]),
            (_, 201) => text(&answer.json()["link"]["slug"]),
            _ => None,
        }
    }

    fn refusal(&self, answer: &Answer) -> Reply {
        let fails = self.route == TOOL && answer.json()["result"]["isError"] == true;
        if fails {
            Reply::Refused
        } else {
            refusal(answer)
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(ToOwned::to_owned)
}
