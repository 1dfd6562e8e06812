//! Redirects for links outside the resolver's cache.

use std::path::Path;

use anyhow::Result;

use super::{
    dataset, export,
    follower::Follower,
    goal::{self, Limit},
    instance::{Binary, Instance},
    load::{Answers, Load, Requests, SETTLE, measure},
    memory::Memory,
    nginx::{Nginx, Redirects},
    plan::Plan,
    processor::Meter,
    samples::Samples,
    table::Table,
    visits::{Headers, Pick, Visits},
};

/// Links that clients follow repeatedly.
const HOT: u32 = 200;
/// Links of which clients follow a few often.
const RANKS: u32 = 100_000;
const CONNECTIONS: u32 = 16;

/// The steps of each round, in order. The first begins just after a start and the last just
/// after another one.
const STEPS: [&str; 7] = [
    "any link, just started",
    "hot set, warm",
    "each hot link once",
    "unknown slugs",
    "each hot link once, after them",
    "hot set, after them",
    "Zipf, just started",
];

// Indexes in `STEPS`.
const UNIFORM: usize = 0;
const WARM: usize = 1;
const ONCE: usize = 2;
const UNKNOWN: usize = 3;
const ONCE_AFTER: usize = 4;
const WARM_AFTER: usize = 5;
const ZIPF: usize = 6;

/// The figures of a binary.
#[derive(Debug, Default)]
struct Figures {
    /// Processor time for each request, in microseconds, by step.
    micros: [Vec<f64>; STEPS.len()],
    /// Resident memory in MiB before and after the unknown slugs.
    resident: [Vec<f64>; 2],
}

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("misses")?;
    let constant = Nginx::start(&folder.join("constant"), Redirects::Constant, plan.cpus)?;
    let mut figures: Vec<_> = plan.sluglines().map(|_| Figures::default()).collect();
    let mut noise = Vec::new();
    for seed in 1..=plan.rounds {
        eprintln!("round {seed} of {}", plan.rounds);
        for (binary, figures) in plan.sluglines().zip(&mut figures) {
            round(plan, binary, seed, &folder, figures)?;
        }
        let visits = Visits::draw(hot(plan), Headers::Plain);
        let load = load(plan, constant.origin(), &visits, Answers::Good);
        noise.push(measure(&load, constant.workers(), &folder)?.micros);
    }
    println!(
        "\nmisses: {} links, one worker; the process begins cold, the files are in the system's \
         memory\n",
        plan.links
    );
    let mut table = Table::new(["µs of processor time", "median", "min–max", "× warm"]);
    let mut of_sides = Vec::new();
    for (binary, figures) in plan.sluglines().zip(figures) {
        let [before, after] = figures.resident.map(Samples::new);
        let (before, after) = (before?, after?);
        let steps = figures.micros.map(Samples::new);
        let steps: Vec<_> = steps.into_iter().collect::<Result<_>>()?;
        for (step, micros) in STEPS.into_iter().zip(&steps) {
            table.row([
                format!("{}: {step}", binary.name),
                micros.middle(2),
                micros.range(2),
                format!("{:.2}", micros.ratio(&steps[WARM])),
            ]);
        }
        for (what, resident) in [("before", &before), ("after", &after)] {
            table.row([
                format!("{}: MiB resident {what} unknown slugs", binary.name),
                resident.middle(1),
                resident.range(1),
                String::new(),
            ]);
        }
        of_sides.push(steps);
    }
    let noise = Samples::new(noise)?;
    table.row([
        "nginx constant".into(),
        noise.middle(2),
        noise.range(2),
        String::new(),
    ]);
    print!("{table}");
    println!("{}", noise.noise("nginx constant"));
    // The goals apply to the first binary.
    if let [ours, others @ ..] = &of_sides[..] {
        report(ours);
        if let [baseline, ..] = others {
            for (step, (now, before)) in STEPS.into_iter().zip(ours.iter().zip(baseline)) {
                goal::change(step, "processor time", now, before);
            }
        }
    }
    Ok(())
}

fn report(steps: &[Samples]) {
    let goal = |what, bound, unit, figure| goal::report(what, Limit::AtMost(bound), unit, figure);
    let uniform = steps[UNIFORM].ratio(&steps[WARM]);
    goal("any link, just started", 2.0, "× warm", uniform);
    goal(
        "an unknown slug",
        2.0,
        "× warm",
        steps[UNKNOWN].ratio(&steps[WARM]),
    );
    // The rounds' own spread is allowed; a very noisy machine proves nothing.
    let noise = |step: usize, most: f64| 1.0 + steps[step].spread().clamp(0.05, most);
    let (what, unit) = ("the hot set after unknown slugs", "× before them, by noise");
    let ratio = steps[WARM_AFTER].ratio(&steps[WARM]);
    goal(what, noise(WARM, 0.1), unit, ratio);
    let what = "each hot link once after unknown slugs";
    let ratio = steps[ONCE_AFTER].ratio(&steps[ONCE]);
    goal(what, noise(ONCE, 0.25), unit, ratio);
    println!(
        "(no goal: Zipf, just started, {:.2} × warm)",
        steps[ZIPF].ratio(&steps[WARM])
    );
}

fn round(
    plan: &Plan,
    binary: &Binary,
    seed: u32,
    scratch: &Path,
    figures: &mut Figures,
) -> Result<()> {
    let data = dataset::folder(plan, binary, plan.links)?;
    let links = plan.links;
    let instance = Instance::start_alone(binary, &data, plan.cpus, &[])?;
    let ask = |instance: &Instance, pick, answers| {
        let visits = Visits::draw(pick, Headers::Plain);
        let load = load(plan, instance.origin(), &visits, answers);
        anyhow::Ok(measure(&load, &[instance.pid()], scratch)?.micros)
    };
    let resident = || anyhow::Ok(Memory::of(instance.pid())?.resident);
    let micros = &mut figures.micros;
    micros[UNIFORM].push(ask(
        &instance,
        Pick::Uniform { links, seed },
        Answers::Good,
    )?);
    micros[WARM].push(ask(&instance, hot(plan), Answers::Good)?);
    // These steps can repeat; the one after the unknown slugs cannot.
    let once: Result<_> = (0..5).map(|_| each_once(plan, &instance)).collect();
    micros[ONCE].push(Samples::new(once?)?.median());
    figures.resident[0].push(resident()?);
    micros[UNKNOWN].push(ask(&instance, Pick::Unknown { seed }, Answers::Refusals)?);
    // Before another step caches them again.
    micros[ONCE_AFTER].push(each_once(plan, &instance)?);
    figures.resident[1].push(resident()?);
    micros[WARM_AFTER].push(ask(&instance, hot(plan), Answers::Good)?);
    instance.stop()?;

    let data = dataset::folder(plan, binary, plan.links)?;
    let instance = Instance::start_alone(binary, &data, plan.cpus, &[])?;
    let ranks = RANKS.min(links);
    let zipf = Pick::Zipf { ranks, links, seed };
    micros[ZIPF].push(ask(&instance, zipf, Answers::Good)?);
    instance.stop()
}

/// Processor time for each link of the hot set, followed once, in microseconds.
///
/// A load of seconds would hide an evicted link that is read again once.
fn each_once(plan: &Plan, instance: &Instance) -> Result<f64> {
    let step = (plan.links / HOT).max(1);
    let mut follower = Follower::connect(instance.address()?)?;
    let processes = [instance.pid()];
    let meter = Meter::start(&processes)?;
    follower.follow((0..HOT).map(|n| export::slug(n * step)), 1)?;
    Ok(meter.seconds()? * 1e6 / f64::from(HOT))
}

fn hot(plan: &Plan) -> Pick {
    Pick::InTurn {
        hot: HOT,
        links: plan.links,
    }
}

fn load<'l>(plan: &Plan, url: &'l str, visits: &'l Visits, answers: Answers) -> Load<'l> {
    Load {
        url,
        requests: Requests::Visits(visits),
        seconds: plan.seconds,
        connections: CONNECTIONS,
        answers,
        // Also separates one step from the next.
        settle: SETTLE,
        saturates: false,
        cpus: plan.cpus,
    }
}
