//! The embedded access log beside ClickHouse and DuckDB, with the same visits in all.
//!
//! The recorder fills the embedded log, and the others take an export of it. The benchmark queries
//! the log and ClickHouse through the API of the release binary, and ClickHouse and DuckDB in SQL;
//! all must give the same answers. ClickHouse runs as a library behind a small HTTP server, as in
//! the tests.

pub(super) mod beside;
mod clickhouse;
mod contenders;
mod duckdb;
mod folders;
mod limits;
mod list;
mod others;
mod page;
pub(super) mod part;
mod piped;
mod questions;
mod scanned;
mod slices;
mod sql;

use anyhow::Result;

use super::{instance::Instance, memory::peak_mib, plan::Plan};
use beside::Beside;
use contenders::{Contender, Service};
use folders::embedded;
use list::QUESTIONS;
use others::Others;
use part::Part;
use questions::Rounds;
use xtask::programs::python;

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let (mine, report) = embedded(plan)?;
    println!("\nthrough the recorder to the disk, every visit a row");
    println!("embedded log:\n{report}");
    if plan.beside != Beside::Nothing {
        python::install()?;
    }
    let (scan, _) = folders::prepared(&folders::kept(plan).join("scan"), |folder| {
        scanned::copy(&mine, folder)?;
        Ok(String::new())
    })?;
    let ours = Instance::start(&plan.binary, &mine)?;
    let scan = Instance::start(&plan.binary, &scan)?;
    let others = match plan.beside {
        Beside::Nothing => None,
        Beside::All | Beside::Clickhouse => Some(Others::start(plan, &mine)?),
    };
    let mut contenders = own(&ours, &scan);
    if let Some(others) = &others {
        others.print_sizes(plan, &mine)?;
        contenders.extend(others.contenders());
    }
    ask(plan, &mut contenders)?;
    drop(contenders);
    if plan.has(Part::Page) {
        page::measure(&ours, others.as_ref().map(|others| &others.service))?;
    }
    print_peak(&ours)?;
    scan.stop()?;
    others.map_or(Ok(()), Others::stop)?;
    ours.stop()
}

/// The embedded log with totals of days, and without.
fn own<'i>(with: &'i Instance, without: &'i Instance) -> Vec<Box<dyn Contender + 'i>> {
    vec![
        Box::new(service("embedded", with)),
        Box::new(service("embedded scan", without)),
    ]
}

/// Asks all questions warm and cold, as the plan wants.
fn ask(plan: &Plan, contenders: &mut [Box<dyn Contender + '_>]) -> Result<()> {
    if plan.has(Part::Questions) {
        println!(
            "\nall questions, {} rounds in turn, files in the system's memory; medians",
            plan.rounds
        );
        let rounds = Rounds {
            count: plan.rounds,
            cold: false,
        };
        questions::compare(contenders, &QUESTIONS, rounds)?;
    }
    if plan.has(Part::Cold) && !questions::can_drop_page_cache() {
        println!("\nnothing is measured cold: only root can drop the system's cache of files");
    } else if plan.has(Part::Cold) {
        println!(
            "\ncold: before each answer the system drops its cache of files and ClickHouse its marks; \
             DuckDB starts anew, services do not; one round"
        );
        let rounds = Rounds {
            count: 1,
            cold: true,
        };
        questions::compare(contenders, &QUESTIONS, rounds)?;
    }
    Ok(())
}

fn print_peak(ours: &Instance) -> Result<()> {
    println!(
        "peak memory of the whole service since its last question {:.0} MiB",
        peak_mib(ours.pid())?
    );
    Ok(())
}

fn service<'i>(name: &'static str, instance: &'i Instance) -> Service<'i> {
    Service {
        name,
        instance,
        beside: None,
    }
}
