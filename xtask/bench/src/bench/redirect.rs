//! Redirects of a warm and busy instance, beside servers that do the least a redirect needs.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result};

use super::{
    contender::{Contender, Outcome, interleave},
    export,
    goal::{self, Limit},
    instance::{self, Binary, Instance},
    load::{MANY, SETTLE},
    plan::Plan,
    table::Table,
    visits::{Headers, Pick, Visits},
    yardstick::{MAP, Yardsticks},
};

/// Links that are followed in turn.
const LINKS: u32 = 200;

/// Every visit becomes a row.
pub(super) const NO_SAMPLING: [(&str, &str); 2] = [
    ("SLUGLINE_SAMPLE_ABOVE", "0"),
    ("SLUGLINE_SAMPLE_LINK_ABOVE", "0"),
];

/// The domains of the instance that has many.
const DOMAINS: u32 = 50;

const MANY_DOMAINS: &str = "slugline, 50 domains";

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("redirect")?;
    let links = folder.join("links.json");
    export::write(&links, LINKS)?;

    // Dropping this list stops the servers.
    let mut instances = Vec::new();
    let mut contenders = Vec::new();
    for binary in plan.sluglines() {
        let instance = start(plan, binary, &folder.join(binary.name), &links, &[])?;
        let at = (instance.origin(), &[instance.pid()][..]);
        contenders.push(contender(binary.name, at, Headers::Plain));
        contenders.push(contender(&with_headers(binary.name), at, Headers::Browser));
        instances.push(instance);
    }
    // Visitors of the default domain, beside many named ones.
    let hosts: Vec<String> = (1..DOMAINS)
        .map(|host| format!("d{host}.example"))
        .collect();
    let named = [("SLUGLINE_DOMAINS", &*hosts.join(","))];
    let data = folder.join("many-domains");
    let instance = start(plan, &plan.binary, &data, &links, &named)?;
    let at = (instance.origin(), &[instance.pid()][..]);
    contenders.push(contender(MANY_DOMAINS, at, Headers::Plain));
    instances.push(instance);
    let yardsticks = Yardsticks::start(plan, LINKS, &folder.join("yardsticks"))?;
    for (name, origin, processes) in yardsticks.all() {
        let at = (origin, processes);
        let both = [
            contender(name, at, Headers::Plain),
            contender(&with_headers(name), at, Headers::Browser),
        ];
        // They answer as fast as the load asks, so it may not keep them busy.
        contenders.extend(both.map(|it| Contender {
            saturates: false,
            ..it
        }));
    }
    println!("\nredirect: {LINKS} links, warm, recording on, one busy worker each\n");
    report(&interleave(plan, &contenders, MANY, &folder)?)?;
    drop(instances);
    waiting(plan, &folder, &links, &yardsticks)
}

/// Prints what a visit costs servers that wait for most of the time, and what its row costs the
/// writer of the access log, which nothing hurries then.
fn waiting(plan: &Plan, folder: &Path, links: &Path, yardsticks: &Yardsticks) -> Result<()> {
    const CONNECTIONS: u32 = 16;
    let mut instances = Vec::new();
    let mut contenders = Vec::new();
    let mut add = |name: &str, at: (&str, &[u32])| {
        let mut contender = contender(name, at, Headers::Browser);
        contender.visits.pace = Some(Duration::from_micros(250));
        contender.saturates = false;
        contenders.push(contender);
    };
    for binary in plan.sluglines() {
        let data = folder.join(format!("{}-every-visit", binary.name));
        let instance = start(plan, binary, &data, links, &NO_SAMPLING)?;
        add(binary.name, (instance.origin(), &[instance.pid()]));
        instances.push(instance);
    }
    for (name, origin, processes) in yardsticks.all() {
        add(name, (origin, processes));
    }
    println!("\nservers that wait: 4,000 visits a second, every visit a row\n");
    let mut table = Table::new([
        "µs of processor time",
        "median",
        "min–max",
        "writer",
        "busy, %",
        "per s",
    ]);
    for outcome in interleave(plan, &contenders, CONNECTIONS, folder)? {
        table.row([
            outcome.name,
            outcome.micros.middle(2),
            outcome.micros.range(2),
            outcome.writer.middle(2),
            outcome.busy.middle(0),
            outcome.rate.middle(0),
        ]);
    }
    print!("{table}");
    Ok(())
}

fn report(outcomes: &[Outcome]) -> Result<()> {
    let find = |name: &str| {
        let outcome = outcomes.iter().find(|outcome| outcome.name == name);
        outcome.with_context(|| format!("no contender is {name}"))
    };
    let map = find(MAP)?;
    let mut table = Table::new([
        "µs of processor time",
        "median",
        "min–max",
        "× map",
        "writer",
        "busy, %",
        "per s",
    ]);
    for outcome in outcomes {
        table.row([
            outcome.name.clone(),
            outcome.micros.middle(2),
            outcome.micros.range(2),
            format!("{:.2}", outcome.micros.ratio(&map.micros)),
            outcome.writer.middle(2),
            outcome.busy.middle(1),
            outcome.rate.middle(0),
        ]);
    }
    print!("{table}");
    println!("writer: the part of the thread that keeps the access log");
    println!("{}", map.micros.noise(MAP));
    println!("a yardstick that was less busy than 97 % paid for its waits: it costs at most this");
    let goal = |what: &str, bound, unit, figure| {
        goal::report(what, Limit::AtMost(bound), unit, figure);
    };
    for binary in builds(outcomes) {
        let ours = &find(binary)?.micros;
        let what = format!("{binary}: a redirect");
        goal(&what, 1.45, "× nginx map", ours.ratio(&map.micros));
        let with = &find(&with_headers(binary))?.micros;
        let what = format!("{binary}: the same with a browser's headers");
        goal(&what, 1.1, "× without them", with.ratio(ours));
    }
    let ours = find("slugline")?;
    let many = find(MANY_DOMAINS)?.micros.ratio(&ours.micros);
    goal("a redirect beside 50 domains", 1.05, "× with one", many);
    if let Ok(baseline) = find("baseline") {
        goal::change("redirect", "processor time", &ours.micros, &baseline.micros);
        let now = &find(&with_headers("slugline"))?.micros;
        let before = &find(&with_headers("baseline"))?.micros;
        goal::change("with a browser's headers", "processor time", now, before);
    }
    Ok(())
}

/// The builds of this commit among the contenders.
fn builds(outcomes: &[Outcome]) -> impl Iterator<Item = &str> {
    let names = outcomes.iter().map(|outcome| outcome.name.as_str());
    names.filter(|name| matches!(*name, "slugline" | "static"))
}

fn start(
    plan: &Plan,
    binary: &Binary,
    data: &Path,
    links: &Path,
    settings: &[(&str, &str)],
) -> Result<Instance> {
    instance::import(binary, data, &[], links)?;
    Instance::start_alone(binary, data, plan.cpus, settings)
}

fn contender(name: &str, (origin, processes): (&str, &[u32]), headers: Headers) -> Contender {
    let (hot, links) = (LINKS, LINKS);
    Contender {
        name: name.to_owned(),
        url: origin.to_owned(),
        visits: Visits::draw(Pick::InTurn { hot, links }, headers),
        processes: processes.to_vec(),
        settle: SETTLE,
        saturates: true,
    }
}

fn with_headers(name: &str) -> String {
    format!("{name}, browser headers")
}
