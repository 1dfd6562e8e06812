//! Destinations are watched on a disk that fails.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    amount::factor,
    shim::{Fault, Kind},
    trial::Trial,
};
use crate::support::{
    outsider::{Outsider, answer},
    server::eventually,
};

#[test]
fn a_watch_that_cannot_write_says_nothing_wrong_and_goes_on() {
    let works = Arc::new(AtomicBool::new(true));
    let outsider = Outsider::there_while(&works);
    let hooks = Outsider::start(|_| answer("204 No Content", ""));
    let trial = Trial::start_in(
        tempfile::tempdir().unwrap(),
        &[
            ("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8"),
            ("SLUGLINE_WATCH_EVERY", "1"),
            ("SLUGLINE_WEBHOOK_URL", &hooks.url("/hook")),
        ],
    );
    let link = json!({"slug": "docs", "url": outsider.url("/")});
    trial.server().create(&link);
    let mut struck = 0;
    let rounds = 4 * usize::try_from(factor()).unwrap();
    for kind in Kind::ALL.into_iter().cycle().take(rounds) {
        trial.faults.set(Fault::of(kind, 1, Fault::FOREVER));
        let is_broken = works.fetch_xor(true, Relaxed);
        // Long enough for several attempts.
        let set = Instant::now();
        while trial.faults.failed() < 5 && set.elapsed() < Duration::from_secs(2) {
            sleep(Duration::from_millis(20));
        }
        struck += u64::from(trial.faults.lift() > 0);
        eventually("the present answer is told", || {
            let link = trial.server().get("/api/link/query?slug=docs").json();
            assert_eq!(link["slug"], "docs", "{link}");
            link["broken"].is_null() != is_broken
        });
    }
    assert!(struck > 2, "{struck} faults struck");
    let heard = hooks.heard().into_iter();
    let messages = heard.map(|heard| serde_json::from_slice::<Value>(&heard.body).unwrap());
    let news: Vec<Value> = messages.map(|message| message["event"].clone()).collect();
    assert!(!news.is_empty());
    for (one, next) in news.iter().zip(news.iter().skip(1)) {
        assert_ne!(one, next, "nothing is told twice: {news:?}");
    }
}
