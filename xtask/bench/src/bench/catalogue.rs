//! Redirects of catalogues of some sizes, of which visitors follow few links often and many
//! seldom, beside nginx's map of the same links.

use std::path::Path;

use anyhow::Result;

use super::{
    dataset,
    goal::{self, Limit},
    instance::{Binary, Instance},
    load::{Answers, Load, SETTLE, measure},
    nginx::{Nginx, Redirects},
    plan::Plan,
    redirect::NO_SAMPLING,
    samples::Samples,
    scripts::{self, Headers, Pick},
    table::Table,
};

/// Numbers of links, as far as the plan has so many.
const SIZES: [u32; 4] = [200, 20_000, 100_000, 1_000_000];
const CONNECTIONS: u32 = 16;
/// Seconds of the load after which a memory is taken to be warm.
const WARM_UP: u32 = 10;

/// What is measured of each binary, in order.
const STEPS: [&str; 3] = ["just started", "steady", "every visit stored"];

// Indexes in `STEPS`.
const STARTED: usize = 0;
const STEADY: usize = 1;
const STORED: usize = 2;

/// The figures of a binary and a size.
#[derive(Debug, Default)]
struct Figures {
    /// Processor time for each request, in microseconds, by step.
    micros: [Vec<f64>; STEPS.len()],
    /// Requests per second, by step.
    rates: [Vec<f64>; STEPS.len()],
    /// The percentage of requests for which memory did not have the link, by step.
    missed: [Vec<f64>; STEPS.len()],
    /// Bytes of an entry of the warm memory.
    entry: Vec<f64>,
    /// The percentage of visits that were dropped in the last step.
    dropped: Vec<f64>,
}

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("catalogue")?;
    println!("\ncatalogue: links by Zipf's law, one worker each\n");
    for links in SIZES.into_iter().filter(|&links| links <= plan.links) {
        size(plan, links, &folder)?;
    }
    Ok(())
}

fn size(plan: &Plan, links: u32, folder: &Path) -> Result<()> {
    let map = folder.join(format!("map-{links}"));
    let nginx = Nginx::start(&map, Redirects::Map(links), plan.cpus)?;
    let mut yardstick = [Vec::new(), Vec::new()];
    let mut figures: Vec<_> = plan.sluglines().map(|_| Figures::default()).collect();
    for seed in 1..=plan.rounds {
        eprintln!("{links} links, round {seed} of {}", plan.rounds);
        let script = script(links, seed);
        let load = load(plan, nginx.origin(), &script, plan.seconds);
        let cost = measure(&load, nginx.workers(), folder)?;
        yardstick[0].push(cost.micros);
        yardstick[1].push(cost.rate);
        for (binary, figures) in plan.sluglines().zip(&mut figures) {
            round(plan, binary, (links, seed), folder, figures)?;
        }
    }
    let [micros, rate] = yardstick.map(Samples::new);
    let (micros, rate) = (micros?, rate?);
    let mut table = Table::new([
        &format!("{links} links, µs of processor time"),
        "median",
        "min–max",
        "× nginx map",
        "per s",
        "missed, %",
    ]);
    table.row([
        "nginx map".into(),
        micros.middle(2),
        micros.range(2),
        "1.00".into(),
        rate.middle(0),
        String::new(),
    ]);
    let mut notes = Vec::new();
    for (binary, figures) in plan.sluglines().zip(figures) {
        let steps = figures.micros.into_iter().zip(figures.rates);
        let steps = steps.zip(figures.missed).zip(STEPS).enumerate();
        for (at, (((own, rates), missed), step)) in steps {
            let own = Samples::new(own)?;
            let ratio = own.ratio(&micros);
            table.row([
                format!("{}: {step}", binary.name),
                own.middle(2),
                own.range(2),
                format!("{ratio:.2}"),
                Samples::new(rates)?.middle(0),
                Samples::new(missed)?.middle(1),
            ]);
            if let Some(bound) = bound(links, at) {
                notes.push((
                    format!("{}, {links} links, {step}", binary.name),
                    bound,
                    ratio,
                ));
            }
        }
        println!(
            "{}: an entry of the memory takes {} bytes; {} % of the visits were dropped",
            binary.name,
            Samples::new(figures.entry)?.middle(0),
            Samples::new(figures.dropped)?.middle(1),
        );
    }
    print!("{table}");
    println!("{}", micros.noise("nginx map"));
    for (what, bound, ratio) in notes {
        goal::report(&what, Limit::AtMost(bound), "× nginx map", ratio);
    }
    println!();
    Ok(())
}

/// The goal of a step, if there is one.
fn bound(links: u32, step: usize) -> Option<f64> {
    match (links, step) {
        (100_000, STARTED) => Some(1.5),
        (100_000, STEADY) => Some(1.15),
        (20_000, STORED) => Some(1.3),
        _ => None,
    }
}

fn round(
    plan: &Plan,
    binary: &Binary,
    (links, seed): (u32, u32),
    scratch: &Path,
    figures: &mut Figures,
) -> Result<()> {
    let data = dataset::folder(plan, binary, links)?;
    let script = script(links, seed);
    let ask = |instance: &Instance, seconds| {
        let load = load(plan, instance.origin(), &script, seconds);
        measure(&load, &[instance.pid()], scratch)
    };
    let mut take = |instance: &Instance, step: usize| {
        let before = lookups(instance)?;
        let cost = ask(instance, plan.seconds)?;
        let after = lookups(instance)?;
        let (all, missed) = (after.0 - before.0, after.1 - before.1);
        figures.micros[step].push(cost.micros);
        figures.rates[step].push(cost.rate);
        figures.missed[step].push(100.0 * missed / all);
        anyhow::Ok(cost.requests)
    };
    let instance = Instance::start_alone(binary, &data, plan.cpus, &[])?;
    take(&instance, STARTED)?;
    ask(&instance, WARM_UP)?;
    take(&instance, STEADY)?;
    let bytes = instance.metric("slugline_link_cache_bytes")?;
    let entry = bytes / instance.metric("slugline_link_cache_entries")?;
    instance.stop()?;

    let data = dataset::folder(plan, binary, links)?;
    let instance = Instance::start_alone(binary, &data, plan.cpus, &NO_SAMPLING)?;
    ask(&instance, WARM_UP)?;
    let dropped = || instance.metric("slugline_visits_dropped_total");
    let before = dropped()?;
    let requests = take(&instance, STORED)?;
    let dropped = 100.0 * (dropped()? - before) / requests;
    figures.entry.push(entry);
    figures.dropped.push(dropped);
    instance.stop()
}

/// The look-ups of links in memory since the start, and those of them that missed.
fn lookups(instance: &Instance) -> Result<(f64, f64)> {
    let hits = instance.metric("slugline_link_cache_hits_total")?;
    let missed = instance.metric("slugline_link_cache_misses_total")?;
    Ok((hits + missed, missed))
}

fn script(links: u32, seed: u32) -> String {
    let ranks = links;
    scripts::follow(Pick::Zipf { ranks, links, seed }, Headers::Plain)
}

fn load<'l>(plan: &Plan, url: &'l str, script: &'l str, seconds: u32) -> Load<'l> {
    Load {
        url,
        script,
        seconds,
        connections: CONNECTIONS,
        answers: Answers::Good,
        settle: SETTLE,
        cpus: plan.cpus,
    }
}
