//! Redirects during continuous scans.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use anyhow::Result;
use serde_json::json;

use super::list::path;
use crate::bench::{
    cpus::Cpus,
    instance::Instance,
    load::{Answers, Latency, Load, latency},
};

const ROUNDS: u32 = 3;
const SECONDS: u32 = 8;

/// Each connection sends a request every 5 milliseconds, so redirects do not use the whole
/// machine and a delay is visible.
const STEADY: &str = "function delay() return 5 end\n";

/// Prints the latency of redirects alone and during scans, in turn.
pub(super) fn measure(ours: &Instance, scratch: &Path) -> Result<()> {
    let link = json!({"slug": "bench", "url": "https://example.com/"});
    ours.post("/api/link/upsert", &link)?;
    let url = format!("{}/bench", ours.origin());
    println!("\nredirects, milliseconds at the same steady rate");
    println!(
        "{:>24} {:>10} {:>10} {:>12}",
        "", "median", "99 %", "per second"
    );
    for _ in 0..ROUNDS {
        let load = Load {
            url: &url,
            script: STEADY,
            seconds: SECONDS,
            connections: 8,
            answers: Answers::Good,
            settle: Duration::ZERO,
            // The scans need CPUs too, and the benchmark measures how they share them.
            cpus: Cpus::Any,
        };
        let alone = latency(&load, scratch)?;
        let beside = beside_scans(ours, || latency(&load, scratch))?;
        for (
            what,
            Latency {
                median,
                worst,
                rate,
            },
        ) in [("alone", alone), ("beside scans", beside)]
        {
            println!("{what:>24} {median:>10.2} {worst:>10.2} {rate:>12.0}");
        }
    }
    Ok(())
}

/// Measures while two clients keep requesting full scans.
fn beside_scans<T>(ours: &Instance, measure: impl FnOnce() -> Result<T>) -> Result<T> {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let ask = |request| {
            while !over.load(Ordering::Relaxed) {
                ours.get(&path(90, request))?;
            }
            anyhow::Ok(())
        };
        let people = ["stats/heatmap?", "stats/metrics?type=slug"]
            .map(|request| scope.spawn(move || ask(request)));
        let measured = measure();
        over.store(true, Ordering::Relaxed);
        for person in people {
            person.join().expect("asking does not panic")?;
        }
        measured
    })
}
