//! Several dashboards at once, alone and beside redirects that are recorded.
//!
//! The instance has default settings, but that every visit becomes a row. The dashboards' questions
//! are about 30 counted days of the kept visits, or also about everything since, which includes the
//! visits that come meanwhile.

mod redirects;
mod viewers;

use std::{fs, path::Path, time::Duration};

use anyhow::Result;

use super::{
    analytics::{self, page},
    export,
    instance::{self, Instance},
    memory::peak_mib,
    plan::Plan,
    redirect::NO_SAMPLING,
    rest,
    samples::Samples,
    table::Table,
};
use redirects::{LINKS, Outcome, RATE, Sender};
use viewers::{Seen, watch};

/// Dashboards at the same time.
const DASHBOARDS: [usize; 3] = [1, 4, 16];

/// What the dashboards ask about, and whether redirects come meanwhile.
const KINDS: [(&str, Asked, bool); 5] = [
    ("", Asked::new("", false), false),
    (", people only", Asked::new(PEOPLE, false), false),
    (" beside redirects", Asked::new("", false), true),
    (
        ", people only, beside redirects",
        Asked::new(PEOPLE, false),
        true,
    ),
    (" until now, beside redirects", Asked::new("", true), true),
];

const PEOPLE: &str = "&bots=exclude";

#[derive(Clone, Copy, Debug)]
struct Asked {
    filter: &'static str,
    until_now: bool,
}

impl Asked {
    const fn new(filter: &'static str, until_now: bool) -> Self {
        Self { filter, until_now }
    }

    fn paths(self) -> Vec<String> {
        page::paths(self.filter, self.until_now).into()
    }
}

/// Dashboards at the same time that ask the same.
#[derive(Debug)]
struct Case {
    name: String,
    dashboards: usize,
    paths: Vec<String>,
    beside: bool,
    seen: Seen,
    redirects: Redirects,
}

/// The redirects of all rounds of a case.
#[derive(Debug, Default)]
struct Redirects {
    medians: Vec<f64>,
    worst: Vec<f64>,
    rates: Vec<f64>,
    visits: [f64; 3],
}

impl Redirects {
    fn add(&mut self, outcome: Outcome) {
        self.medians.push(outcome.latency.median);
        self.worst.push(outcome.latency.worst);
        self.rates.push(outcome.latency.rate);
        for (sum, visits) in self.visits.iter_mut().zip(outcome.visits) {
            *sum += visits;
        }
    }

    fn row(&self, name: &str) -> Result<[String; 7]> {
        let [rows, sampled, dropped] = self.visits;
        Ok([
            name.to_owned(),
            Samples::new(self.medians.clone())?.middle(2),
            Samples::new(self.worst.clone())?.middle(2),
            Samples::new(self.rates.clone())?.middle(0),
            format!("{rows:.0}"),
            format!("{sampled:.0}"),
            format!("{dropped:.0}"),
        ])
    }
}

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let (kept, _) = analytics::embedded(plan)?;
    let folder = plan.scratch("dashboards")?;
    let data = folder.join("data");
    set_up(plan, &kept, &folder, &data)?;
    let instance = Instance::start_with(&plan.binary, &data, &NO_SAMPLING)?;
    rest::wait_for(instance.pid())?;
    let sender = Sender::new(&instance, &folder)?;

    let mut cases: Vec<Case> = Vec::new();
    for (kind, asked, beside) in KINDS {
        cases.extend(DASHBOARDS.map(|dashboards| Case {
            name: format!("{dashboards}{kind}"),
            dashboards,
            paths: asked.paths(),
            beside,
            seen: Seen::default(),
            redirects: Redirects::default(),
        }));
    }
    let mut alone = Redirects::default();
    let time = Duration::from_secs(plan.seconds.into());
    for round in 1..=plan.rounds {
        eprintln!("round {round} of {}", plan.rounds);
        alone.add(sender.beside(plan.seconds, || Ok(()))?.1);
        for case in &mut cases {
            let look = || watch(&instance, &case.paths, case.dashboards, time);
            let seen = if case.beside {
                let (seen, outcome) = sender.beside(plan.seconds, look)?;
                case.redirects.add(outcome);
                seen
            } else {
                look()?
            };
            case.seen.add(seen);
        }
    }
    report(plan, &alone, &cases)?;
    let peak = peak_mib(instance.pid())?;
    println!("peak memory of the whole service {peak:.0} MiB");
    instance.stop()
}

/// A copy of the kept visits, and the links to follow.
fn set_up(plan: &Plan, kept: &Path, folder: &Path, data: &Path) -> Result<()> {
    const FILE: &str = "analytics.db";
    let links = folder.join("links.json");
    export::write(&links, LINKS)?;
    instance::import(&plan.binary, data, &[], &links)?;
    fs::copy(kept.join(FILE), data.join(FILE))?;
    Ok(())
}

fn report(plan: &Plan, alone: &Redirects, cases: &[Case]) -> Result<()> {
    println!(
        "\ndashboards at once, each with the {} requests of a page over the connections of a \
         browser, in a closed loop; {} visits\n",
        page::paths("", false).len(),
        plan.visits
    );
    let mut table = Table::new([
        "milliseconds",
        "page p50",
        "its rounds",
        "page p99",
        "request p50",
        "request p99",
        "pages",
        "503",
        "failed",
    ]);
    for case in cases {
        table.row(row(case));
    }
    print!("{table}");
    if let Some(Case { name, seen, .. }) = cases.first()
        && let Ok(medians) = Samples::new(seen.medians.clone())
    {
        println!("{}", medians.noise(&format!("pages of {name} dashboard")));
    }
    println!("\nredirects, {RATE} a second asked for, with a browser's headers, meanwhile\n");
    let mut table = Table::new([
        "milliseconds",
        "p50",
        "p99",
        "per s",
        "rows",
        "sampled",
        "dropped",
    ]);
    table.row(alone.row("no dashboard")?);
    for case in cases.iter().filter(|case| case.beside) {
        table.row(case.redirects.row(&case.name)?);
    }
    print!("{table}");
    let medians = Samples::new(alone.medians.clone())?;
    println!("{}", medians.noise("redirects alone"));
    let reached = Samples::new(alone.rates.clone())?.median();
    if reached < f64::from(RATE) * 0.95 {
        println!("{reached:.0} a second is the highest steady rate that wrk reached here");
    }
    Ok(())
}

fn row(case: &Case) -> [String; 9] {
    let Seen { late, failed, .. } = case.seen;
    let of = |figures: &Vec<f64>| {
        Samples::new(figures.clone()).map_or_else(
            |_| ["none".to_owned(), "none".to_owned()],
            |all| [50, 99].map(|percent| format!("{:.1}", all.percentile(percent))),
        )
    };
    let [page, slow_page] = of(&case.seen.pages);
    let [request, slow_request] = of(&case.seen.requests);
    let rounds = Samples::new(case.seen.medians.clone());
    let rounds = rounds.map_or_else(|_| String::new(), |rounds| rounds.range(1));
    let pages = case.seen.pages.len().to_string();
    let [late, failed] = [late, failed].map(|count| count.to_string());
    [
        case.name.clone(),
        page,
        rounds,
        slow_page,
        request,
        slow_request,
        pages,
        late,
        failed,
    ]
}
