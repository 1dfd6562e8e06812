//! Response times of requests among many links, on both databases.

use std::{path::Path, time::Instant};

use anyhow::{Context, Result};

use super::{
    export,
    goal::{self, Limit},
    instance::{self, Instance},
    memory::peak_mib,
    plan::Plan,
    samples::Samples,
    table::Table,
};
use xtask::programs::postgres::{self, Cluster};

const ROUNDS: usize = 5;

/// Requests of a person who searches. `shipping` is in a tenth of the comments, `-777777` in
/// one slug.
const REQUESTS: [(&str, &str); 24] = [
    ("newest page", "/api/link/list"),
    ("oldest page", "/api/link/list?sort=oldest"),
    ("page by slug", "/api/link/list?sort=az"),
    ("page by slug, backwards", "/api/link/list?sort=za"),
    ("page of 500 by slug", "/api/link/list?limit=500&sort=az"),
    ("page by visits", "/api/link/list?sort=visits"),
    (
        "newest page of expired links",
        "/api/link/list?status=expired",
    ),
    ("newest page of a tag", "/api/link/list?tag=tag-7"),
    (
        "oldest page of a tag",
        "/api/link/list?tag=tag-7&sort=oldest",
    ),
    ("page of a tag by slug", "/api/link/list?tag=tag-7&sort=az"),
    ("newest page of a common tag", "/api/link/list?tag=common"),
    ("newest page of a rare tag", "/api/link/list?tag=rare"),
    ("newest page of a word of many", "/api/link/list?q=shipping"),
    ("search: one slug", "/api/link/search?q=-777777"),
    ("search: a word of many", "/api/link/search?q=shipping"),
    ("search: a word of none", "/api/link/search?q=xylophone"),
    ("search: two characters of none", "/api/link/search?q=q%7E"),
    (
        "search: a word and a tag",
        "/api/link/search?q=shipping&tag=tag-7",
    ),
    (
        "search: exact destination",
        "/api/link/search?url=https%3A%2F%2Fshop.example%2Fp%2F4242",
    ),
    ("count of all", "/api/link/count"),
    ("count of a word", "/api/link/count?q=shipping"),
    ("count of a tag", "/api/link/count?tag=tag-7"),
    ("count of a common tag", "/api/link/count?tag=common"),
    ("all tags", "/api/link/tags"),
];

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("links")?;
    let document = folder.join("links.json");
    export::write(&document, plan.links)?;
    let programs = postgres::programs().context("the package `postgresql` is missing")?;
    let cluster = Cluster::start_durable(&programs)?;
    let on_postgres = [("SLUGLINE_DATABASE_URL", cluster.url())];

    println!("\nlinks: {} links\n", plan.links);
    let sqlite = filled(plan, "SQLite", &folder.join("sqlite"), &[], &document)?;
    let data = folder.join("postgres");
    let postgres = filled(plan, "PostgreSQL", &data, &on_postgres, &document)?;
    let mut table = Table::new([
        "milliseconds",
        "SQLite",
        "min–max",
        "PostgreSQL",
        "min–max",
        "× SQLite",
    ]);
    let mut worst = ("", 0.0_f64);
    for (what, path) in REQUESTS {
        let (ours, theirs) = (times(&sqlite, path)?, times(&postgres, path)?);
        let ratio = theirs.ratio(&ours);
        if ratio > worst.1 {
            worst = (what, ratio);
        }
        table.row([
            what.into(),
            ours.middle(1),
            ours.range(1),
            theirs.middle(1),
            theirs.range(1),
            format!("{ratio:.1}"),
        ]);
    }
    print!("{table}");
    let (what, ratio) = worst;
    let what = format!("PostgreSQL's slowest beside SQLite, {what},");
    goal::report(&what, Limit::AtMost(3.0), "× SQLite", ratio);
    println!("peak memory on SQLite {:.0} MiB", peak_mib(sqlite.pid())?);
    sqlite.stop()?;
    postgres.stop()
}

/// Imports the links of a document, and starts an instance.
fn filled(
    plan: &Plan,
    name: &str,
    data: &Path,
    settings: &[(&str, &str)],
    document: &Path,
) -> Result<Instance> {
    let started = Instant::now();
    instance::import(&plan.binary, data, settings, document)?;
    let seconds = started.elapsed().as_secs_f64();
    println!("{name}: imported in {seconds:.1} s");
    Instance::start_with(&plan.binary, data, settings)
}

/// The milliseconds of a request, after one that warms it up.
fn times(instance: &Instance, path: &str) -> Result<Samples> {
    instance.get(path)?;
    let time = |_| {
        let asked = Instant::now();
        instance.get(path)?;
        Ok(asked.elapsed().as_secs_f64() * 1e3)
    };
    Samples::new((0..ROUNDS).map(time).collect::<Result<_>>()?)
}
