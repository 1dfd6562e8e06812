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

/// The paths of a page's requests, with a filter such as `&bots=exclude`; none if it is empty.
/// They are about the last thirty days of the kept visits, or also about everything since.
pub(in crate::bench) fn paths(filter: &str, until_now: bool) -> [String; 9] {
    REQUESTS.map(|request| {
        let days = path(30, request);
        let asked = match days.split_once("&endAt=") {
            // Without an end a question is about everything until now.
            Some((since, _)) if until_now => since.to_owned(),
            _ => days,
        };
        asked + filter
    })
}

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
            for path in paths("", false) {
                instance.get(&path)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_about_thirty_days_or_also_about_everything_since() {
        let days = paths("", false);
        assert!(days.iter().all(|path| path.contains("&endAt=")), "{days:?}");
        let since = paths("&bots=exclude", true);
        let asked = |path: &String| !path.contains("endAt") && path.ends_with("&bots=exclude");
        assert!(since.iter().all(asked), "{since:?}");
        assert!(
            since.iter().all(|path| path.contains("startAt=")),
            "{since:?}"
        );
    }
}
