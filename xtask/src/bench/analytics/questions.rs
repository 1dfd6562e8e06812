//! Queries on both logs.

use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::bench::{instance::Instance, processor::cpu_seconds};

const ROUNDS: usize = 5;

/// The visits cover the 90 days before this: 2025-11-08 00:00 UTC.
const END: u32 = 1_762_560_000;

/// The largest allowed difference of two sketch estimates: six standard deviations of the
/// largest ones.
const SKETCHED_WITHIN: f64 = 0.1;

/// The queries: a name, the number of last days, and the request.
const QUESTIONS: [(&str, u32, &str); 25] = [
    ("counters", 90, "stats/counters?"),
    ("counters", 1, "stats/counters?"),
    (
        "counters of the busiest link",
        90,
        "stats/counters?slug=link-0",
    ),
    (
        "counters of a quiet link",
        90,
        "stats/counters?slug=link-15000",
    ),
    (
        "counters, two countries and a system",
        90,
        "stats/counters?country=AD,AE&os=Windows",
    ),
    (
        "views by minute in New York",
        1,
        "stats/views?unit=minute&clientTimezone=America/New_York",
    ),
    (
        "views by hour in New York",
        30,
        "stats/views?unit=hour&clientTimezone=America/New_York",
    ),
    (
        "views by day in Kathmandu",
        90,
        "stats/views?unit=day&clientTimezone=Asia/Kathmandu",
    ),
    (
        "heatmap in Berlin",
        90,
        "stats/heatmap?clientTimezone=Europe/Berlin",
    ),
    ("slugs", 90, "stats/metrics?type=slug"),
    ("destinations", 90, "stats/metrics?type=url"),
    ("referers", 90, "stats/metrics?type=referer"),
    ("countries", 90, "stats/metrics?type=country"),
    ("cities", 90, "stats/metrics?type=city"),
    ("languages", 90, "stats/metrics?type=language"),
    ("systems", 90, "stats/metrics?type=os"),
    ("browsers", 90, "stats/metrics?type=browser"),
    ("user agents", 90, "stats/metrics?type=ua"),
    ("kinds of devices", 90, "stats/metrics?type=deviceType"),
    ("visitors", 90, "stats/metrics?type=ip"),
    ("latitudes", 90, "stats/metrics?type=latitude"),
    (
        "countries of the busiest link",
        90,
        "stats/metrics?type=country&slug=link-0",
    ),
    (
        "countries of a quiet link",
        90,
        "stats/metrics?type=country&slug=link-15000",
    ),
    ("latest visits", 90, "logs/events?"),
    ("places on the map", 90, "logs/locations?"),
];

/// A service and its processes.
#[derive(Debug)]
pub(super) struct Side<'i> {
    pub(super) instance: &'i Instance,
    pub(super) processes: Vec<u32>,
}

impl Side<'_> {
    fn cpu_seconds(&self) -> Result<f64> {
        self.processes.iter().map(|&pid| cpu_seconds(pid)).sum()
    }
}

/// Queries both in turn and prints the median times, and the processor time of their processes.
/// Different answers are an error.
pub(super) fn compare(ours: &Side<'_>, theirs: &Side<'_>) -> Result<()> {
    println!(
        "\n{:<38} {:>5} {:>10} {:>10} {:>7} {:>10} {:>10} {:>7}",
        "milliseconds, through the API",
        "days",
        "embedded",
        "ClickHouse",
        "ratio",
        "processor",
        "ClickHouse",
        "ratio"
    );
    for (what, days, request) in QUESTIONS {
        let path = path(days, request);
        let mut times = [Vec::new(), Vec::new()];
        let mut answers = [Value::Null, Value::Null];
        let mut cpu = [0.0; 2];
        for _ in 0..ROUNDS {
            for (index, side) in [ours, theirs].into_iter().enumerate() {
                let (began, cpu_before) = (Instant::now(), side.cpu_seconds()?);
                answers[index] = side.instance.get(&path)?;
                times[index].push(began.elapsed().as_secs_f64() * 1e3);
                cpu[index] += side.cpu_seconds()? - cpu_before;
            }
        }
        let rounds = f64::from(u32::try_from(ROUNDS)?);
        let [own_cpu, other_cpu] = cpu.map(|seconds| seconds * 1e3 / rounds);
        let [own, other] = times.map(median);
        let sketched = if agree(what, &answers)? {
            ""
        } else {
            " (estimated)"
        };
        println!(
            "{:<38} {days:>5} {own:>10.1} {other:>10.1} {:>7.2} {own_cpu:>10.0} {other_cpu:>10.0} {:>7.2}",
            format!("{what}{sketched}"),
            own / other,
            own_cpu / other_cpu
        );
    }
    Ok(())
}

/// The request for the last days.
pub(super) fn path(days: u32, request: &str) -> String {
    let start = END - days * 86_400;
    let and = if request.ends_with('?') { "" } else { "&" };
    format!("/api/{request}{and}startAt={start}&endAt={}", END - 1)
}

/// True if both answers are equal; an error if they differ more than allowed.
fn agree(what: &str, [own, other]: &[Value; 2]) -> Result<bool> {
    if own == other {
        return Ok(true);
    }
    // Each log has its own salts, so the hashes of visitors differ.
    let of_visitors = what == "visitors";
    if of_visitors || close(own, other) {
        return Ok(of_visitors);
    }
    let beginning = |answer: &Value| answer.to_string().chars().take(600).collect::<String>();
    bail!(
        "{what}: the answers differ\nembedded:   {}\nClickHouse: {}",
        beginning(own),
        beginning(other)
    )
}

/// True if two answers have the same shape and numbers of similar size.
fn close(own: &Value, other: &Value) -> bool {
    match (own, other) {
        (Value::Array(own), Value::Array(other)) => {
            own.len() == other.len() && own.iter().zip(other).all(|(own, other)| close(own, other))
        }
        (Value::Object(own), Value::Object(other)) => {
            let same = |(name, own)| other.get(name).is_some_and(|other| close(own, other));
            own.len() == other.len() && own.iter().all(same)
        }
        (Value::Number(own), Value::Number(other)) => {
            let size = |number: &serde_json::Number| number.as_f64().unwrap_or(f64::NAN);
            let (own, other) = (size(own), size(other));
            (own - other).abs() <= SKETCHED_WITHIN * own.max(other)
        }
        // The flag for exactness may differ.
        (Value::Bool(_), Value::Bool(_)) => true,
        _ => own == other,
    }
}

pub(super) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
