//! New links and unknown slugs on PostgreSQL, beside what the server itself can do.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result};

use super::{
    create::creation,
    goal::{self, Limit},
    instance::Instance,
    load::{Answers, Load, Requests, SETTLE, measure},
    plan::Plan,
    samples::Samples,
    table::Table,
    visits::{Headers, Pick, Visits},
};
use xtask::{
    process,
    programs::postgres::{self, Cluster},
};

const CONNECTIONS: [u32; 2] = [1, 16];

/// Connections that request unknown slugs.
const GUESSERS: [u32; 2] = [16, 256];

/// A row of the size of a link's, in a transaction of its own.
const INSERT: &str = "INSERT INTO single (slug, destination) \
                      VALUES (md5(random()::text), repeat('x', 200));\n";
const TABLE: &str = "CREATE TABLE single (\
                     number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
                     slug text COLLATE \"C\" UNIQUE, destination text)";

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("postgres")?;
    let programs = postgres::programs().context("the package `postgresql` is missing")?;
    let cluster = Cluster::start_durable(&programs)?;
    process::run_quietly(cluster.client("psql").args(["-qc", TABLE, cluster.url()]))?;
    let settings = [("SLUGLINE_DATABASE_URL", cluster.url())];
    // Nothing is pinned, because the server takes any processor.
    let instance = Instance::start_with(&plan.binary, &folder.join("data"), &settings)?;
    let create = format!("{}/api/link/create", instance.origin());
    let mut inserts = CONNECTIONS.map(|_| Vec::new());
    let mut creations = CONNECTIONS.map(|_| Vec::new());
    let mut unknown = GUESSERS.map(|_| Vec::new());
    let mut flooded = Vec::new();
    std::fs::create_dir_all(folder.join("guesses"))?;
    for round in 1..=plan.rounds {
        eprintln!("round {round} of {}", plan.rounds);
        for (at, connections) in CONNECTIONS.into_iter().enumerate() {
            inserts[at].push(pgbench(plan, &cluster, connections, &folder)?);
            let start = (round * 2 + u32::try_from(at)?) * 10_000_000;
            let script = creation(start);
            let load = Load {
                url: &create,
                requests: Requests::Script(&script),
                seconds: plan.seconds,
                connections,
                answers: Answers::Good,
                settle: Duration::ZERO,
                saturates: false,
                cpus: plan.cpus,
            };
            creations[at].push(measure(&load, &[instance.pid()], &folder)?.rate);
        }
        let guess = |connections| {
            let seed = round * 1_000 + connections;
            let visits = Visits::draw(Pick::Unknown { seed }, Headers::Plain);
            let load = Load {
                url: instance.origin(),
                requests: Requests::Visits(&visits),
                seconds: plan.seconds,
                connections,
                answers: Answers::Refusals,
                settle: SETTLE,
                saturates: false,
                cpus: plan.cpus,
            };
            anyhow::Ok(measure(&load, &[instance.pid()], &folder.join("guesses"))?.rate)
        };
        for (rates, connections) in unknown.iter_mut().zip(GUESSERS) {
            rates.push(guess(connections)?);
        }
        let script = creation((round + 1_000) * 1_000_000);
        let load = Load {
            url: &create,
            requests: Requests::Script(&script),
            seconds: plan.seconds,
            connections: 1,
            answers: Answers::Good,
            settle: SETTLE,
            saturates: false,
            cpus: plan.cpus,
        };
        flooded.push(std::thread::scope(|scope| {
            let guesses = scope.spawn(|| guess(GUESSERS[1] + 1));
            let made = measure(&load, &[instance.pid()], &folder)?;
            guesses.join().expect("the load does not panic")?;
            anyhow::Ok(made.rate)
        })?);
    }
    println!("\npostgres: a durable PostgreSQL on this machine\n");
    let mut table = Table::new(["per second", "median", "min–max", "× pgbench"]);
    let mut goals = Vec::new();
    for (at, connections) in CONNECTIONS.into_iter().enumerate() {
        let inserts = Samples::new(std::mem::take(&mut inserts[at]))?;
        let creations = Samples::new(std::mem::take(&mut creations[at]))?;
        let ratio = creations.ratio(&inserts);
        for (what, rate, ratio) in [
            ("single inserts by pgbench", &inserts, 1.0),
            ("new links", &creations, ratio),
        ] {
            table.row([
                format!("{what}, {connections} at once"),
                rate.middle(0),
                rate.range(0),
                format!("{ratio:.2}"),
            ]);
        }
        goals.push((format!("links made by {connections} connections"), ratio));
    }
    let unknown = unknown.into_iter().zip(GUESSERS);
    let unknown = unknown.map(|(rates, guessers)| {
        let what = format!("unknown slugs, {guessers} at once");
        (what, rates)
    });
    let what = format!("new links, 1 at once, beside {} guesses", GUESSERS[1] + 1);
    for (what, rates) in unknown.chain([(what, flooded)]) {
        let rates = Samples::new(rates)?;
        table.row([what, rates.middle(0), rates.range(0), String::new()]);
    }
    print!("{table}");
    for (what, ratio) in goals {
        goal::report(&what, Limit::AtLeast(0.5), "× pgbench", ratio);
    }
    instance.stop()
}

/// Single inserts per second over some connections.
fn pgbench(plan: &Plan, cluster: &Cluster, connections: u32, folder: &Path) -> Result<f64> {
    let script = folder.join("insert.sql");
    std::fs::write(&script, INSERT)?;
    let mut pgbench = cluster.client("pgbench");
    pgbench.args(["-n", "-M", "prepared", "-f"]).arg(script);
    pgbench.args(["-c", &connections.to_string()]);
    pgbench.args(["-T", &plan.seconds.to_string(), cluster.url()]);
    let report = process::stdout(&mut pgbench)?;
    let report = String::from_utf8_lossy(&report).into_owned();
    per_second(&report).with_context(|| format!("pgbench's report:\n{report}"))
}

fn per_second(report: &str) -> Option<f64> {
    let (_, rest) = report.split_once("tps = ")?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_read_from_the_report() {
        let report = "latency average = 0.2 ms\ntps = 4229.5 (without initial connection time)\n";
        assert_eq!(per_second(report), Some(4229.5));
        assert_eq!(per_second("pgbench: error"), None);
    }
}
