//! The cost of one dashboard page.

use std::time::Instant;

use anyhow::Result;

use super::{list::path, questions::median};
use crate::bench::{instance::Instance, processor::cpu_seconds};

const ROUNDS: usize = 3;

/// The requests of a page about the last thirty days, in order.
const REQUESTS: [&str; 9] = [
    "stats/counters?",
    "stats/views?unit=hour&clientTimezone=Europe/Berlin",
    "stats/metrics?type=slug",
    "stats/metrics?type=country",
    "stats/metrics?type=referer",
    "stats/metrics?type=browser",
    "stats/metrics?type=os",
    "stats/metrics?type=deviceType",
    "stats/heatmap?clientTimezone=Europe/Berlin",
];

/// Loads the page from both, if there are two, and prints the times.
pub(super) fn measure(ours: &Instance, theirs: Option<&Instance>) -> Result<()> {
    let mut times = [Vec::new(), Vec::new()];
    let cpu = cpu_seconds(ours.pid())?;
    for _ in 0..ROUNDS {
        for (times, instance) in times
            .iter_mut()
            .zip([Some(ours), theirs].into_iter().flatten())
        {
            let began = Instant::now();
            for request in REQUESTS {
                instance.get(&path(30, request))?;
            }
            times.push(began.elapsed().as_secs_f64() * 1e3);
        }
    }
    let rounds = f64::from(u32::try_from(ROUNDS)?);
    let cpu = (cpu_seconds(ours.pid())? - cpu) * 1e3 / rounds;
    let [own, other] = times;
    let own = median(own);
    print!(
        "a dashboard of 30 days, {} requests: {own:.0} ms ({cpu:.0} ms of processor time)",
        REQUESTS.len()
    );
    if !other.is_empty() {
        let other = median(other);
        print!(", ClickHouse {other:.0} ms, ratio {:.2}", own / other);
    }
    println!();
    Ok(())
}
