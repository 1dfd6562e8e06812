//! New links and unknown slugs on PostgreSQL, beside what the server itself can do.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result, bail};
use serde_json::json;

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

/// A word that a link's slug, destination and searched text hold.
const VARYING: &str = "pgbench";

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("postgres")?;
    let programs = postgres::programs().context("the package `postgresql` is missing")?;
    let cluster = Cluster::start_durable(&programs)?;
    let settings = [("SLUGLINE_DATABASE_URL", cluster.url())];
    // Nothing is pinned, because the server takes any processor.
    let instance = Instance::start_with(&plan.binary, &folder.join("data"), &settings)?;
    let script = folder.join("insert.sql");
    std::fs::write(&script, insertion(&cluster, &instance)?)?;
    let create = format!("{}/api/link/create", instance.origin());
    let mut inserts = CONNECTIONS.map(|_| Vec::new());
    let mut creations = CONNECTIONS.map(|_| Vec::new());
    let mut unknown = GUESSERS.map(|_| Vec::new());
    let mut flooded = Vec::new();
    std::fs::create_dir_all(folder.join("guesses"))?;
    for round in 1..=plan.rounds {
        eprintln!("round {round} of {}", plan.rounds);
        for (at, connections) in CONNECTIONS.into_iter().enumerate() {
            inserts[at].push(pgbench(plan, &cluster, connections, &script)?);
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
            ("the same statement by pgbench", &inserts, 1.0),
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
        goal::report(&what, Limit::AtLeast(0.7), "× pgbench", ratio);
    }
    instance.stop()
}

/// A script of pgbench with the very statement by which the service stores a link. The server's log tells
/// it and its values; each run has a slug, an identifier and a destination of its own.
fn insertion(cluster: &Cluster, instance: &Instance) -> Result<String> {
    let ask = |sql: &str| {
        let mut psql = cluster.client("psql");
        let said = process::stdout(psql.args(["-qAtc", sql, cluster.url()]))?;
        anyhow::Ok(String::from_utf8(said)?)
    };
    let logged = |statements: &str| {
        ask(&format!("ALTER SYSTEM SET log_statement = '{statements}'"))?;
        ask("SELECT pg_reload_conf()")
    };
    logged("all")?;
    let url = format!("https://example.com/{VARYING}");
    for attempt in 0..100 {
        // The server reads its settings again in its own time.
        let slug = format!("{VARYING}{attempt}");
        let body = json!({"slug": slug, "url": url});
        let made = instance.post("/api/link/create", &body)?;
        let id = made["link"]["id"].as_str().context("a link has an `id`")?;
        if let Some(statement) = of_a_link(&ask("SELECT pg_read_file('../log')")?, id) {
            logged("none")?;
            return Ok(format!(
                "\\set run random(1, 1000000000000000)\n{statement};\n"
            ));
        }
    }
    bail!("the log of PostgreSQL does not tell the statement of a new link")
}

/// The last statement of a log that stored the link, as text in which `:run` varies.
fn of_a_link(log: &str, id: &str) -> Option<String> {
    const OPENS: &str = "WITH new AS";
    let (_, said) = log.rsplit_once(&format!(": {OPENS}"))?;
    let mut lines = said.lines();
    let mut statement = format!("{OPENS}{}", lines.next()?);
    let (_, values) = lines.next()?.split_once("arameters: $")?;
    values.contains(id).then_some(())?;
    // From the last one, because `$1` begins `$10`.
    for value in values.split(", $").collect::<Vec<_>>().into_iter().rev() {
        let (number, value) = value.split_once(" = ")?;
        let bare = value.trim_matches('\'');
        let value = if bare.parse::<i64>().is_ok() {
            bare.to_owned()
        } else {
            value
                .replace(id, VARYING)
                .replace(VARYING, "' || :run || '")
        };
        statement = statement.replace(&format!("${number}"), &value);
    }
    Some(statement)
}

/// Runs of a script per second over some connections.
fn pgbench(plan: &Plan, cluster: &Cluster, connections: u32, script: &Path) -> Result<f64> {
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
    fn the_statement_is_read_from_the_log() {
        let log = "LOG:  execute s_1: WITH new AS (VALUES ($1, $2, $10)) SELECT 1\n\
                   DETAIL:  parameters: $1 = 'pgbench7', $2 = 'id', $10 = '5'\n";
        let statement = "WITH new AS (VALUES ('' || :run || '7', '' || :run || '', 5)) SELECT 1";
        assert_eq!(of_a_link(log, "id").as_deref(), Some(statement));
        assert_eq!(of_a_link(log, "another"), None);
    }

    #[test]
    fn rate_is_read_from_the_report() {
        let report = "latency average = 0.2 ms\ntps = 4229.5 (without initial connection time)\n";
        assert_eq!(per_second(report), Some(4229.5));
        assert_eq!(per_second("pgbench: error"), None);
    }
}
