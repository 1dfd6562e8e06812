//! Requests with an `Idempotency-Key` under faults: sent again until they succeed, each makes its
//! link once.

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

#[rstest]
#[case("create")]
#[case("upsert")]
#[case("import")]
fn a_request_that_is_repeated_after_a_fault_makes_its_link_once(#[case] route: &str) {
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
    let mut replayed = 0;
    for number in 0..u32::try_from(60 * factor()).unwrap() {
        let request = Request {
            route: ["create", "upsert", "import"][usize::try_from(random.below(3)).unwrap()],
            number,
        };
        let stream = request.begin(trial.server());
        sleep(Duration::from_micros(random.below(LONGEST_MICROSECONDS)));
        if random.below(5) == 0 {
            trial.restart_unseen("KILL");
        }
        drop(stream);
        let row = trial.table.row(BROKEN, request.route);
        row.injected += 1;
        row.unanswered += 1;
        let second = request.send(trial.server()).expect("an answer");
        assert!(request.is_done(&second), "{number}: {}", second.text);
        trial.table.row(BROKEN, request.route).acknowledged += 1;
        replayed += u32::from(is_replayed(&second));
        request.made_one_link(trial.server());
    }
    assert!(replayed > 0, "no change outlived its client");
    trial.table.conclude(random.seed(), 60, 60);
}

/// Sends the request under a fault and then again. Returns whether a call failed.
fn strike(trial: &mut Trial, request: &Request<'_>, fault: Fault) -> bool {
    let story = format!("{fault:?} {}", request.route);
    trial.faults.set(fault);
    let first = request.send(trial.server());
    let struck = trial.faults.lift();
    let died = first.is_none();
    let reply = match &first {
        None => Reply::Unanswered("the process died".to_owned()),
        Some(answer) if request.is_done(answer) => Reply::Acknowledged,
        Some(answer) => refusal(answer),
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
    assert!(request.is_done(&second), "{story}: {}", second.text);
    let replayed = is_replayed(&second);
    if reply == Reply::Acknowledged {
        let first = first.expect("it was acknowledged");
        assert_eq!((second.text, replayed), (first.text, true), "{story}");
    }
    request.made_one_link(trial.server());
    struck > 0
}

fn is_replayed(answer: &Answer) -> bool {
    !answer.header("idempotent-replayed").is_empty()
}

/// A request that makes one link with a generated slug.
struct Request<'r> {
    route: &'r str,
    number: u32,
}

impl Request<'_> {
    /// `None` if there was no answer.
    fn send(&self, server: &Server) -> Option<Answer> {
        let path = format!("/api/link/{}", self.route);
        let key = format!("{}-{}", self.route, self.number);
        let call = server.api("POST", &path).header("idempotency-key", &key);
        call.json(&self.body()).try_send().ok()
    }

    /// Sends the request and reads no answer.
    fn begin(&self, server: &Server) -> TcpStream {
        let Self { route, number } = self;
        let key = format!("idempotency-key: {route}-{number}\r\n");
        let body = self.body().to_string();
        server.begin("POST", &format!("/api/link/{route}"), &key, &body)
    }

    fn body(&self) -> Value {
        let link = json!({"url": self.url(), "slug": null});
        match self.route {
            "import" => json!({"version": "1", "links": [link]}),
            _ => json!({"url": self.url()}),
        }
    }

    fn url(&self) -> String {
        format!("https://repeated.example/{}", self.number)
    }

    fn made_one_link(&self, server: &Server) {
        let search = format!("/api/link/search?url={}", self.url());
        let found = server.get(&search).json();
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{search}: {found}");
    }

    fn is_done(&self, answer: &Answer) -> bool {
        match self.route {
            "import" => answer.status == 200 && answer.json()["success"] == 1,
            _ => answer.status == 201,
        }
    }
}
