//! Redirects of catalogues of some sizes, of which visitors follow few links often and many
//! seldom, beside servers that do the least a redirect of them needs.

use std::path::Path;

use anyhow::Result;

use super::{
    dataset,
    goal::{self, Limit},
    instance::{Binary, Instance},
    load::{Answers, Cost, Load, MANY, Requests, SETTLE, measure, retry},
    plan::Plan,
    redirect::NO_SAMPLING,
    samples::Samples,
    table::Table,
    visits::{Headers, Pick, Visits},
    yardstick::Yardsticks,
};

/// Numbers of links, as far as the plan has so many.
const SIZES: [u32; 4] = [200, 20_000, 100_000, 1_000_000];
/// Seconds of the load after which a memory is taken to be warm.
const WARM_UP: u32 = 10;

/// What is measured of each binary, in order.
const STEPS: [&str; 3] = ["just started", "steady", "every visit stored"];

// Indexes in `STEPS`.
const STARTED: usize = 0;
const STEADY: usize = 1;
const STORED: usize = 2;

/// The cost of a load, and the percentage of requests for which memory did not have the link.
type Figure = (Cost, Option<f64>);

/// A round of a binary.
#[derive(Debug)]
struct Round {
    steps: [Figure; STEPS.len()],
    /// Bytes of an entry of the warm memory.
    entry: f64,
    /// The percentage of visits that were dropped in the last step.
    dropped: f64,
}

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("catalogue")?;
    println!("\ncatalogue: links by Zipf's law, one busy worker each\n");
    for links in SIZES.into_iter().filter(|&links| links <= plan.links) {
        size(plan, links, &folder)?;
    }
    Ok(())
}

fn size(plan: &Plan, links: u32, folder: &Path) -> Result<()> {
    let yardsticks = Yardsticks::start(plan, links, &folder.join(links.to_string()))?;
    let mut floors = yardsticks.all().map(|_| Vec::new());
    let mut rounds: Vec<_> = plan.sluglines().map(|_| Vec::new()).collect();
    for seed in 1..=plan.rounds {
        eprintln!("{links} links, round {seed} of {}", plan.rounds);
        let visits = visits(links, seed);
        for ((_, origin, processes), figures) in yardsticks.all().into_iter().zip(&mut floors) {
            let mut load = load(plan, origin, &visits, plan.seconds);
            // They answer as fast as the load asks, so it may not keep them busy.
            load.saturates = false;
            figures.push((measure(&load, processes, folder)?, None));
        }
        for (binary, rounds) in plan.sluglines().zip(&mut rounds) {
            rounds.push(retry(|| round(plan, binary, (links, seed), folder))?);
        }
    }
    let micros = |figures: &[Figure]| samples(figures, |(cost, _)| cost.micros);
    let map = micros(&floors[0])?;
    let mut table = Table::new([
        &format!("{links} links, µs of processor time"),
        "median",
        "min–max",
        "× nginx map",
        "busy, %",
        "per s",
        "missed, %",
    ]);
    let mut row = |name: String, figures: &[Figure]| {
        let micros = micros(figures)?;
        let ratio = micros.ratio(&map);
        let missed = Samples::new(figures.iter().filter_map(|(_, missed)| *missed).collect());
        table.row([
            name,
            micros.middle(2),
            micros.range(2),
            format!("{ratio:.2}"),
            samples(figures, |(cost, _)| cost.busy * 100.0)?.middle(1),
            samples(figures, |(cost, _)| cost.rate)?.middle(0),
            missed.map_or_else(|_| String::new(), |missed| missed.middle(1)),
        ]);
        anyhow::Ok(ratio)
    };
    for ((name, ..), figures) in yardsticks.all().into_iter().zip(&floors) {
        row(name.to_owned(), figures)?;
    }
    let mut notes = Vec::new();
    for (binary, rounds) in plan.sluglines().zip(&rounds) {
        for (at, step) in STEPS.into_iter().enumerate() {
            let figures: Vec<_> = rounds.iter().map(|round| round.steps[at]).collect();
            let ratio = row(format!("{}: {step}", binary.name), &figures)?;
            if let Some(bound) = bound(links, at) {
                let what = format!("{}, {links} links, {step}", binary.name);
                notes.push((what, bound, ratio));
            }
        }
        println!(
            "{}: an entry of the memory takes {} bytes; {} % of the visits were dropped",
            binary.name,
            samples(rounds, |round| round.entry)?.middle(0),
            samples(rounds, |round| round.dropped)?.middle(1),
        );
    }
    print!("{table}");
    println!("{}", map.noise("nginx map"));
    for (what, bound, ratio) in notes {
        goal::report(&what, Limit::AtMost(bound), "× nginx map", ratio);
    }
    println!();
    Ok(())
}

/// The goal of a step, if there is one.
fn bound(links: u32, step: usize) -> Option<f64> {
    match (links, step) {
        (20_000, STORED) => Some(1.6),
        (100_000, STARTED) => Some(1.75),
        (100_000, STEADY) => Some(1.45),
        (1_000_000, STEADY) => Some(1.9),
        _ => None,
    }
}

fn samples<T>(of: &[T], figure: impl Fn(&T) -> f64) -> Result<Samples> {
    Samples::new(of.iter().map(figure).collect())
}

fn round(plan: &Plan, binary: &Binary, (links, seed): (u32, u32), scratch: &Path) -> Result<Round> {
    // A sequence of its own for each step: the links of one that was sent are in memory.
    let [first, warm_up, later] = [0, 1, 2].map(|step| visits(links, seed * 10 + step));
    let ask = |instance: &Instance, visits: &Visits, seconds| {
        let load = load(plan, instance.origin(), visits, seconds);
        measure(&load, &[instance.pid()], scratch)
    };
    let take = |instance: &Instance, visits: &Visits| {
        let before = lookups(instance)?;
        let cost = ask(instance, visits, plan.seconds)?;
        let after = lookups(instance)?;
        let (all, missed) = (after.0 - before.0, after.1 - before.1);
        anyhow::Ok((cost, Some(100.0 * missed / all)))
    };
    let data = dataset::folder(plan, binary, links)?;
    let instance = Instance::start_alone(binary, &data, plan.cpus, &[])?;
    let started = take(&instance, &first)?;
    ask(&instance, &warm_up, WARM_UP)?;
    let steady = take(&instance, &later)?;
    let bytes = instance.metric("slugline_link_cache_bytes")?;
    let entry = bytes / instance.metric("slugline_link_cache_entries")?;
    instance.stop()?;

    let data = dataset::folder(plan, binary, links)?;
    let instance = Instance::start_alone(binary, &data, plan.cpus, &NO_SAMPLING)?;
    ask(&instance, &warm_up, WARM_UP)?;
    let lost = || instance.metric("slugline_visits_dropped_total");
    let before = lost()?;
    let stored = take(&instance, &later)?;
    let dropped = 100.0 * (lost()? - before) / stored.0.requests;
    instance.stop()?;
    Ok(Round {
        steps: [started, steady, stored],
        entry,
        dropped,
    })
}

/// The look-ups of links in memory since the start, and those of them that missed.
fn lookups(instance: &Instance) -> Result<(f64, f64)> {
    let hits = instance.metric("slugline_link_cache_hits_total")?;
    let missed = instance.metric("slugline_link_cache_misses_total")?;
    Ok((hits + missed, missed))
}

fn visits(links: u32, seed: u32) -> Visits {
    let ranks = links;
    Visits::draw(Pick::Zipf { ranks, links, seed }, Headers::Plain)
}

fn load<'l>(plan: &Plan, url: &'l str, visits: &'l Visits, seconds: u32) -> Load<'l> {
    Load {
        url,
        requests: Requests::Visits(visits),
        seconds,
        connections: MANY,
        answers: Answers::Good,
        settle: SETTLE,
        saturates: true,
        cpus: plan.cpus,
    }
}
