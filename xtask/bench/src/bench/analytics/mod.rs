//! The embedded access log beside ClickHouse and DuckDB, with the same visits in all.
//!
//! The recorder fills the embedded log, and the others take an export of it. The benchmark queries
//! the log and ClickHouse through the API of the release binary, and ClickHouse and DuckDB in SQL;
//! all must give the same answers. ClickHouse runs as a library behind a small HTTP server, as in
//! the tests.

mod clickhouse;
mod contenders;
mod duckdb;
mod folders;
mod limits;
mod list;
mod logs;
pub(super) mod page;
pub(super) mod part;
mod piped;
mod questions;
mod rollup;
mod scanned;
mod scans;
mod slices;
mod sql;

use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

use super::{instance::Instance, memory::peak_mib, plan::Plan};
use clickhouse::ClickHouse;
use contenders::{ClickHouseSql, Contender, DuckDbSql, Service, Statements};
use duckdb::DuckDb;
pub(super) use folders::{embedded, recorder};
use list::QUESTIONS;
use part::Part;
use questions::Rounds;
use rollup::Visitors;
use sql::Sampling;
use xtask::programs::python;

/// The most visits that go through the recorder into ClickHouse, whose pace does not depend on it.
const INGESTED: u32 = 10_000_000;

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let (mine, report) = embedded(plan)?;
    println!("\nthrough the recorder to the disk, every visit a row");
    println!("embedded log:\n{report}");
    if plan.has(Part::Logs) {
        logs::measure(plan)?;
    }
    if !plan.alone {
        python::install()?;
    }
    if plan.has(Part::Ingest) && !plan.alone {
        ingest(plan)?;
    }
    let (scan, _) = folders::prepared(&folders::kept(plan).join("scan"), |folder| {
        scanned::copy(&mine, folder)?;
        Ok(String::new())
    })?;
    let ours = Instance::start(&plan.binary, &mine)?;
    let scan = Instance::start(&plan.binary, &scan)?;
    if plan.alone {
        ask(plan, &mut own(&ours, &scan))?;
        if plan.has(Part::Page) {
            page::measure(&ours, None)?;
        }
        print_peak(&ours)?;
        scan.stop()?;
        return ours.stop();
    }

    let others = others(plan, &mine)?;
    let clickhouse = ClickHouse::start(&others.join("clickhouse"))?;
    let duckdb = RefCell::new(DuckDb::start(&others)?);
    let url = clickhouse.url();
    let settings = [("SLUGLINE_ANALYTICS_URL", url.as_str())];
    let theirs = Instance::start_with(&plan.binary, &others.join("service"), &settings)?;
    print_sizes(plan, &mine, &others, &clickhouse)?;
    let mut contenders = own(&ours, &scan);
    contenders.push(Box::new(service(
        "ClickHouse, ours",
        &theirs,
        Some(&clickhouse),
    )));
    let exact = Statements::Rollup(Visitors::Exact);
    for (name, statements) in [
        ("ClickHouse SQL", Statements::Visits(Sampling::Ignored)),
        ("ClickHouse rollup", exact),
        ("ClickHouse uniq", Statements::Rollup(Visitors::Estimated)),
    ] {
        contenders.push(Box::new(ClickHouseSql {
            name,
            server: &clickhouse,
            statements,
        }));
    }
    for (name, statements) in [
        ("DuckDB SQL", Statements::Visits(Sampling::Ignored)),
        ("DuckDB rollup", exact),
    ] {
        contenders.push(Box::new(DuckDbSql {
            name,
            database: &duckdb,
            statements,
        }));
    }
    ask(plan, &mut contenders)?;
    drop(contenders);
    if plan.has(Part::Sampling) {
        cost_of_sampling(&ours, &theirs, &clickhouse, &duckdb)?;
    }
    if plan.has(Part::Page) {
        page::measure(&ours, Some(&theirs))?;
    }
    print_peak(&ours)?;
    theirs.stop()?;
    scan.stop()?;
    drop((clickhouse, duckdb));
    if plan.has(Part::Redirects) {
        scans::measure(&ours, &folders::kept(plan))?;
    }
    ours.stop()
}

/// The embedded log with totals of days, and without.
fn own<'i>(with: &'i Instance, without: &'i Instance) -> Vec<Box<dyn Contender + 'i>> {
    vec![
        Box::new(service("embedded", with, None)),
        Box::new(service("embedded scan", without, None)),
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

/// The cost of sampling in SQL: rows counted, and the visits that they stand for.
fn cost_of_sampling(
    ours: &Instance,
    theirs: &Instance,
    clickhouse: &ClickHouse,
    duckdb: &RefCell<DuckDb>,
) -> Result<()> {
    println!(
        "\nwhat it costs to honour sampling: SQL that counts rows and visitors, and SQL that groups \
         by visitor"
    );
    let mut contenders: Vec<Box<dyn Contender + '_>> = vec![
        Box::new(service("embedded", ours, None)),
        Box::new(service("ClickHouse, ours", theirs, Some(clickhouse))),
    ];
    for (names, sampling) in [
        (["ClickHouse rows", "DuckDB rows"], Sampling::Ignored),
        (["ClickHouse sampled", "DuckDB sampled"], Sampling::Honoured),
    ] {
        let statements = Statements::Visits(sampling);
        contenders.push(Box::new(ClickHouseSql {
            name: names[0],
            server: clickhouse,
            statements,
        }));
        contenders.push(Box::new(DuckDbSql {
            name: names[1],
            database: duckdb,
            statements,
        }));
    }
    let rounds = Rounds {
        count: 3,
        cold: false,
    };
    questions::compare(&mut contenders, &list::short(), rounds)
}

/// Sends visits through the recorder into a ClickHouse that is deleted then.
fn ingest(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("ingest")?;
    let clickhouse = ClickHouse::start(&folder.join("server"))?;
    let visits = plan.visits.min(INGESTED);
    let report = folders::record(visits, &folder.join("spool.db"), &[&clickhouse.url()])?;
    println!("through the recorder into ClickHouse:\n{report}");
    drop(clickhouse);
    Ok(fs::remove_dir_all(folder)?)
}

/// The folder with ClickHouse's and DuckDB's data. They take the same files, each with its daily
/// sums.
fn others(plan: &Plan, mine: &Path) -> Result<PathBuf> {
    let (folder, _) = folders::prepared(&folders::kept(plan).join("others"), |folder| {
        let clickhouse = ClickHouse::start(&folder.join("clickhouse"))?;
        let url = clickhouse.url();
        let service = folder.join("service");
        fs::create_dir_all(&service)?;
        // The service creates its tables.
        let settings = [("SLUGLINE_ANALYTICS_URL", url.as_str())];
        Instance::start_with(&plan.binary, &service, &settings)?.stop()?;
        let mut duckdb = DuckDb::start(folder)?;
        slices::each(
            &plan.binary,
            mine,
            plan.visits,
            folder,
            |file, from, until| {
                clickhouse.load(file, from, until)?;
                duckdb.load(file, from, until)
            },
        )?;
        clickhouse.tidy()?;
        Ok(String::new())
    })?;
    println!(
        "(kept in target/bench/analytics-{}; delete it to load again)",
        plan.visits
    );
    Ok(folder)
}

fn print_sizes(plan: &Plan, mine: &Path, others: &Path, clickhouse: &ClickHouse) -> Result<()> {
    let of_file = |path: PathBuf| fs::metadata(path).map_or(0, |file| file.len());
    println!("\nbytes of a visit on disk");
    for (name, bytes) in [
        ("embedded, with totals", of_file(mine.join("analytics.db"))),
        ("ClickHouse, visits", clickhouse.bytes("access_log")?),
        ("ClickHouse, rollup", clickhouse.bytes("roll_")?),
        ("ClickHouse, all", clickhouse.bytes("")?),
        ("DuckDB, visits", of_file(others.join("visits.duckdb"))),
        ("DuckDB, rollup", of_file(others.join("rollup.duckdb"))),
    ] {
        let bytes = f64::from(u32::try_from(bytes >> 10)?) * 1_024.0;
        println!("{name:<24} {:>7.1}", bytes / f64::from(plan.visits));
    }
    println!(
        "limits: {} MiB for a question of ClickHouse and for DuckDB, 256 MiB for all questions of the \
         embedded log; {} threads each",
        limits::MIB,
        limits::threads()
    );
    println!(
        "of ClickHouse's times, {:.1} ms are of the server that passes statements on",
        clickhouse.empty_ms()?
    );
    Ok(())
}

fn print_peak(ours: &Instance) -> Result<()> {
    println!(
        "peak memory of the whole service since its last question {:.0} MiB",
        peak_mib(ours.pid())?
    );
    Ok(())
}

fn service<'i>(
    name: &'static str,
    instance: &'i Instance,
    beside: Option<&'i ClickHouse>,
) -> Service<'i> {
    Service {
        name,
        instance,
        beside,
    }
}
