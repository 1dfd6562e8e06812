//! Redirects of a warm instance, compared with minimal servers.

use std::path::Path;

use anyhow::{Context, Result};

use super::{
    contender::{Contender, Outcome, interleave},
    export,
    goal::{self, Limit},
    guard::{Server, free_address},
    instance::{self, Binary, Instance},
    load::SETTLE,
    nginx::{Nginx, Redirects},
    plan::Plan,
    scripts::{self, Headers, Pick},
    table::Table,
};

/// Links that are followed in turn.
const LINKS: u32 = 200;
const CONNECTIONS: u32 = 16;

/// Every visit becomes a row.
pub(super) const NO_SAMPLING: [(&str, &str); 2] = [
    ("SLUGLINE_SAMPLE_ABOVE", "0"),
    ("SLUGLINE_SAMPLE_LINK_ABOVE", "0"),
];

/// The domains of the instance that has many.
const DOMAINS: u32 = 50;

const MANY_DOMAINS: &str = "slugline, 50 domains";
const MAP: &str = "nginx map";
const CONSTANT: &str = "nginx constant";

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
    let map = Nginx::start(&folder.join("map"), Redirects::Map(LINKS), plan.cpus)?;
    let at = (map.origin(), map.workers());
    contenders.push(contender(MAP, at, Headers::Plain));
    contenders.push(contender(&with_headers(MAP), at, Headers::Browser));
    let constant = Nginx::start(&folder.join("constant"), Redirects::Constant, plan.cpus)?;
    let at = (constant.origin(), constant.workers());
    contenders.push(contender(CONSTANT, at, Headers::Plain));
    // The example of `crates/redirect`, with its one worker.
    let start_actix = |program| {
        let address = free_address()?;
        Server::start(plan.cpus.server(program).arg(address.to_string()), address)
    };
    let actix = plan.actix_constant.as_ref().map(start_actix).transpose()?;
    if let Some(actix) = &actix {
        let at = (actix.origin(), &[actix.pid()][..]);
        contenders.push(contender("actix constant", at, Headers::Plain));
    }

    println!("\nredirect: {LINKS} links, warm, recording on, one worker each\n");
    let outcomes = interleave(plan, &contenders, CONNECTIONS, &folder)?;
    report(&outcomes)?;
    if actix.is_none() {
        println!("no actix constant: a run that builds Slugline builds it too");
    }
    drop((instances, map, constant, actix));
    writer_alone(plan, &folder, &links)
}

/// Prints the writer's time for each visit without sampling, at a rate that it can sustain.
fn writer_alone(plan: &Plan, folder: &Path, links: &Path) -> Result<()> {
    let mut instances = Vec::new();
    let mut contenders = Vec::new();
    for binary in plan.sluglines() {
        let data = folder.join(format!("{}-every-visit", binary.name));
        let instance = start(plan, binary, &data, links, &NO_SAMPLING)?;
        let at = (instance.origin(), &[instance.pid()][..]);
        let mut contender = contender(binary.name, at, Headers::Browser);
        // Each connection sends a request every 4 milliseconds.
        contender.script.push_str("function delay() return 4 end\n");
        contenders.push(contender);
        instances.push(instance);
    }
    println!("\nwriter of the access log: every visit a row, at a steady rate\n");
    let mut table = Table::new([
        "µs of processor time",
        "writer",
        "min–max",
        "in all",
        "per s",
    ]);
    for outcome in interleave(plan, &contenders, CONNECTIONS, folder)? {
        table.row([
            outcome.name,
            outcome.writer.middle(2),
            outcome.writer.range(2),
            outcome.micros.middle(2),
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
    let (map, constant) = (find(MAP)?, find(CONSTANT)?);
    let mut table = Table::new([
        "µs of processor time",
        "median",
        "min–max",
        "× map",
        "× constant",
        "writer",
        "per s",
    ]);
    for outcome in outcomes {
        table.row([
            outcome.name.clone(),
            outcome.micros.middle(2),
            outcome.micros.range(2),
            format!("{:.2}", outcome.micros.ratio(&map.micros)),
            format!("{:.2}", outcome.micros.ratio(&constant.micros)),
            outcome.writer.middle(2),
            outcome.rate.middle(0),
        ]);
    }
    print!("{table}");
    println!("writer: the part of the thread that keeps the access log");
    println!("{}", constant.micros.noise(CONSTANT));
    let ours = find("slugline")?;
    let with = &find(&with_headers("slugline"))?.micros;
    let goal = |what, bound, unit, figure| goal::report(what, Limit::AtMost(bound), unit, figure);
    let redirect = "processor time of a redirect";
    goal(redirect, 1.0, "× nginx map", ours.micros.ratio(&map.micros));
    let to_constant = ours.micros.ratio(&constant.micros);
    goal(redirect, 1.0, "× nginx constant (aim)", to_constant);
    let (what, unit) = ("the same with a browser's headers", "× without them");
    goal(what, 1.1, unit, with.ratio(&ours.micros));
    let many = find(MANY_DOMAINS)?.micros.ratio(&ours.micros);
    goal("a redirect beside 50 domains", 1.05, "× with one", many);
    if let Ok(baseline) = find("baseline") {
        goal::change("redirect", "processor time", &ours.micros, &baseline.micros);
        let before = &find(&with_headers("baseline"))?.micros;
        goal::change(what, "processor time", with, before);
    }
    Ok(())
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
        script: scripts::follow(Pick::InTurn { hot, links }, headers),
        processes: processes.to_vec(),
        settle: SETTLE,
    }
}

fn with_headers(name: &str) -> String {
    format!("{name}, browser headers")
}
