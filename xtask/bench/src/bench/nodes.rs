//! The time until a change on one node is visible on the others.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::{
    goal::{self, Limit},
    instance::Instance,
    plan::Plan,
    table::Table,
    visitor::{Answer, Visitor},
};
use xtask::programs::postgres::{self, Cluster};

const NODES: usize = 3;

/// Rounds of a creation, an edit, a password and a deletion.
const ROUNDS: usize = 250;

/// A change that takes longer counts as lost.
const LOST: Duration = Duration::from_secs(30);

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let programs = postgres::programs().context("the package `postgresql` is missing")?;
    let cluster = Cluster::start(&programs)?;
    let settings = [
        ("SLUGLINE_DATABASE_URL", cluster.url()),
        // Long enough that only an announcement makes a change visible.
        ("SLUGLINE_LINK_CACHE_TTL", "3600"),
    ];
    let nodes: Vec<Instance> = (0..NODES)
        .map(|number| {
            let folder = plan.scratch(&format!("node-{number}"))?;
            Instance::start_with(&plan.binary, &folder, &settings)
        })
        .collect::<Result<_>>()?;
    let visitors = Visitors(Visitor::new());
    for node in &nodes {
        visitors.wait_for_announcements(node)?;
    }
    println!("\nnodes: {NODES} on one PostgreSQL of this machine\n");
    let mut kinds = ["creation", "edit", "password", "deletion"].map(|name| (name, Vec::new()));
    for round in 0..ROUNDS {
        let slug = format!("bench-{round}");
        let author = &nodes[round % NODES];
        let others: Vec<&Instance> = nodes
            .iter()
            .filter(|node| node.pid() != author.pid())
            .collect();
        let link = |page| json!({"slug": slug, "url": format!("https://example.com/{page}")});
        let password = json!({"slug": slug, "password": "opensesame", "url": "https://e.example/"});
        let path = format!("/{slug}");
        let steps = [
            ("POST", "/api/link/create", link("1"), Seen::Page("1")),
            ("PUT", "/api/link/edit", link("2"), Seen::Page("2")),
            ("PUT", "/api/link/edit", password, Seen::Status(200)),
            ("POST", "/api/link/delete", link("2"), Seen::Status(404)),
        ];
        visitors.see(&others, &path, Seen::Status(404))?;
        for ((method, route, body, seen), (_, delays)) in steps.iter().zip(&mut kinds) {
            author.send(method, route, body)?;
            delays.extend(visitors.see(&others, &path, *seen)?);
        }
    }
    report(kinds);
    for node in nodes {
        node.stop()?;
    }
    Ok(())
}

fn report(kinds: [(&str, Vec<f64>); 4]) {
    let mut table = Table::new([
        "ms until it shows elsewhere",
        "median",
        "99 %",
        "worst",
        "of",
    ]);
    let mut all = Vec::new();
    for (name, delays) in kinds {
        all.extend(&delays);
        table.row(row(name, delays));
    }
    let [_, median, _, worst, _] = row("all", all.clone());
    table.row(row("all", all));
    print!("{table}");
    let number = |text: String| text.parse().unwrap_or(f64::NAN);
    goal::report("median", Limit::AtMost(50.0), "ms", number(median));
    goal::report("worst", Limit::AtMost(1_000.0), "ms", number(worst));
}

fn row(name: &str, mut delays: Vec<f64>) -> [String; 5] {
    delays.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        let place = (delays.len() * percent / 100).min(delays.len().saturating_sub(1));
        delays
            .get(place)
            .map_or_else(String::new, |ms| format!("{ms:.1}"))
    };
    let count = delays.len().to_string();
    [name.to_owned(), at(50), at(99), at(100), count]
}

/// The expected answer to visitors of a link.
#[derive(Clone, Copy)]
enum Seen {
    Page(&'static str),
    Status(u16),
}

impl Seen {
    fn is(self, answer: &Answer) -> bool {
        match self {
            Self::Page(page) => answer.location.ends_with(&format!("/{page}")),
            Self::Status(status) => answer.status == status,
        }
    }
}

struct Visitors(Visitor);

impl Visitors {
    /// Waits until each node gives this answer, and returns the milliseconds.
    fn see(&self, nodes: &[&Instance], path: &str, seen: Seen) -> Result<Vec<f64>> {
        let begun = Instant::now();
        let mut delays = vec![None; nodes.len()];
        while delays.iter().any(Option::is_none) {
            for (node, delay) in nodes.iter().zip(&mut delays) {
                if delay.is_none() && seen.is(&self.0.visit(node, path)?) {
                    *delay = Some(begun.elapsed().as_secs_f64() * 1e3);
                }
            }
            if begun.elapsed() > LOST {
                bail!("a change of {path} does not show");
            }
        }
        Ok(delays.into_iter().flatten().collect())
    }

    fn wait_for_announcements(&self, node: &Instance) -> Result<()> {
        let begun = Instant::now();
        let ready = || self.0.visit(node, "/_health/ready");
        while ready()?.text.contains("degraded") {
            if begun.elapsed() > LOST {
                bail!("a node does not hear of changes");
            }
        }
        Ok(())
    }
}
