//! Creation of single links, compared with the speed of the disk, and visits that are counted, which
//! must cost no more.

use std::{path::Path, time::Duration};

use anyhow::Result;
use serde_json::json;

use super::{
    disk,
    goal::{self, Limit},
    import,
    instance::{Instance, TOKEN},
    load::{Answers, Load, Requests, measure},
    plan::Plan,
    samples::Samples,
    scripts,
    table::Table,
};

/// Concurrent connections that create links.
const CONNECTIONS: [u32; 3] = [1, 16, 64];
/// The index in `CONNECTIONS` to which the goals apply.
const SIXTEEN: usize = 1;
/// The name of the row of counted visits.
const COUNTED: &str = "visits counted";

/// A server that creates links, or counts visits of one.
struct Maker<'m> {
    name: &'static str,
    url: String,
    pid: u32,
    /// Lua that creates links with numbers after this one.
    script: Box<dyn Fn(u32) -> String + 'm>,
    /// Links per second and microseconds of processor time, by `CONNECTIONS`.
    figures: [[Vec<f64>; 2]; CONNECTIONS.len()],
}

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("create")?;
    let mut instances = Vec::new();
    for binary in plan.sluglines() {
        let data = folder.join(binary.name);
        instances.push(Instance::start_alone(binary, &data, plan.cpus, &[])?);
    }
    let mut makers: Vec<_> = plan
        .sluglines()
        .zip(&instances)
        .map(|(binary, instance)| Maker {
            name: binary.name,
            url: format!("{}/api/link/create", instance.origin()),
            pid: instance.pid(),
            script: Box::new(creation),
            figures: Default::default(),
        })
        .collect();
    if let Some(instance) = instances.first() {
        let limited = json!({
            "slug": "limited", "url": "https://example.com/", "maxVisits": 1_000_000_000,
        });
        instance.post("/api/link/create", &limited)?;
        makers.push(Maker {
            name: COUNTED,
            url: format!("{}/limited", instance.origin()),
            pid: instance.pid(),
            script: Box::new(|_| String::new()),
            figures: Default::default(),
        });
    }
    let mut appends = Vec::new();
    for round in 1..=plan.rounds {
        eprintln!("round {round} of {}", plan.rounds);
        measure_round(plan, round, &mut makers, &mut appends, &folder)?;
    }
    report(makers, &Samples::new(appends)?)?;
    drop(instances);
    import::run(plan, &folder)
}

fn measure_round(
    plan: &Plan,
    round: u32,
    makers: &mut [Maker<'_>],
    appends: &mut Vec<f64>,
    folder: &Path,
) -> Result<()> {
    for (at, connections) in CONNECTIONS.into_iter().enumerate() {
        appends.push(disk::durable_appends(folder, Duration::from_secs(1))?);
        for maker in &mut *makers {
            // No server creates that many in one run, so no destination repeats, and a hundred
            // rounds still fit.
            let start = (round * 3 + u32::try_from(at)?) * 10_000_000;
            let load = Load {
                url: &maker.url,
                requests: Requests::Script(&(maker.script)(start)),
                seconds: plan.seconds,
                connections,
                answers: Answers::Good,
                settle: Duration::ZERO,
                saturates: false,
                cpus: plan.cpus,
            };
            let cost = measure(&load, &[maker.pid], folder)?;
            let [rate, micros] = &mut maker.figures[at];
            rate.push(cost.rate);
            micros.push(cost.micros);
        }
    }
    Ok(())
}

fn report(makers: Vec<Maker<'_>>, appends: &Samples) -> Result<()> {
    println!("\ncreate: links with a generated slug, one worker each\n");
    let mut table = Table::new([
        "per second",
        "median",
        "min–max",
        "× fdatasync",
        "CPU, µs each",
        "min–max",
    ]);
    table.row([
        "fdatasync of 4 KiB appends".into(),
        appends.middle(0),
        appends.range(0),
        "1.00".into(),
        String::new(),
        String::new(),
    ]);
    let mut at_sixteen = Vec::new();
    for maker in makers {
        for (at, [rate, micros]) in maker.figures.into_iter().enumerate() {
            let (rate, micros) = (Samples::new(rate)?, Samples::new(micros)?);
            table.row([
                format!("{}, {} at once", maker.name, CONNECTIONS[at]),
                rate.middle(0),
                rate.range(0),
                format!("{:.2}", rate.ratio(appends)),
                micros.middle(1),
                micros.range(1),
            ]);
            if at == SIXTEEN {
                at_sixteen.push((maker.name, rate, micros));
            }
        }
    }
    print!("{table}");
    let find = |name| at_sixteen.iter().find(|(maker, ..)| *maker == name);
    if let Some((_, rate, micros)) = find("slugline") {
        let bound = Limit::AtLeast(appends.median().min(8_000.0));
        let what = "links made by 16 connections";
        goal::report(
            what,
            bound,
            "per second, 8000 or fdatasync's rate",
            rate.median(),
        );
        let bound = Limit::AtMost(80.0);
        goal::report("processor time of each", bound, "µs", micros.median());
        if let Some((_, _, counted)) = find(COUNTED) {
            let bound = Limit::AtMost(1.0);
            let ratio = counted.ratio(micros);
            goal::report(
                "processor time of a counted visit",
                bound,
                "× a create",
                ratio,
            );
        }
        if let Some((_, old_rate, old_micros)) = find("baseline") {
            goal::change(what, "per second", rate, old_rate);
            goal::change(what, "processor time", micros, old_micros);
        }
    }
    Ok(())
}

/// Lua that creates links with numbers after this one.
pub(crate) fn creation(start: u32) -> String {
    let token = format!("Bearer {TOKEN}");
    let headers = [
        ("authorization", &*token),
        ("content-type", "application/json"),
    ];
    scripts::post_numbered(r#"{"url":"https://example.com/@"}"#, &headers, start)
}
