//! ClickHouse and DuckDB with the visits of the embedded log.

use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

use super::{
    beside::Beside,
    clickhouse::ClickHouse,
    contenders::{ClickHouseSql, Contender, DuckDbSql, Service},
    duckdb::DuckDb,
    folders, limits, slices,
};
use crate::bench::{instance::Instance, plan::Plan};

/// The databases, and a service on ClickHouse.
#[derive(Debug)]
pub(super) struct Others {
    folder: PathBuf,
    clickhouse: ClickHouse,
    duckdb: Option<RefCell<DuckDb>>,
    pub(super) service: Instance,
}

impl Others {
    /// Starts them. Loads the visits of the embedded log `mine` if no earlier run has done so.
    pub(super) fn start(plan: &Plan, mine: &Path) -> Result<Self> {
        let folder = loaded(plan, mine)?;
        let clickhouse = ClickHouse::start(&folder.join("clickhouse"))?;
        let duckdb = match plan.beside {
            Beside::All => Some(RefCell::new(DuckDb::start(&folder)?)),
            Beside::Clickhouse | Beside::Nothing => None,
        };
        let url = clickhouse.url();
        let settings = [("SLUGLINE_ANALYTICS_URL", url.as_str())];
        let service = Instance::start_with(&plan.binary, &folder.join("service"), &settings)?;
        Ok(Self {
            folder,
            clickhouse,
            duckdb,
            service,
        })
    }

    pub(super) fn stop(self) -> Result<()> {
        self.service.stop()
    }

    /// All that take part in questions.
    pub(super) fn contenders(&self) -> Vec<Box<dyn Contender + '_>> {
        let ours = Service {
            name: "ClickHouse, ours",
            instance: &self.service,
            beside: Some(&self.clickhouse),
        };
        let mut contenders: Vec<Box<dyn Contender>> =
            vec![Box::new(ours), Box::new(ClickHouseSql(&self.clickhouse))];
        if let Some(duckdb) = &self.duckdb {
            contenders.push(Box::new(DuckDbSql(duckdb)));
        }
        contenders
    }

    /// Prints the bytes of a visit on disk, and the limits.
    pub(super) fn print_sizes(&self, plan: &Plan, mine: &Path) -> Result<()> {
        let of_file = |path: PathBuf| fs::metadata(path).map_or(0, |file| file.len());
        println!("\nbytes of a visit on disk");
        for (name, bytes) in [
            ("embedded, with totals", of_file(mine.join("analytics.db"))),
            ("ClickHouse, visits", self.clickhouse.bytes("access_log")?),
            (
                "ClickHouse, our totals",
                self.clickhouse.bytes("slugline_")?,
            ),
            ("DuckDB, visits", of_file(self.folder.join("visits.duckdb"))),
        ] {
            let bytes = f64::from(u32::try_from(bytes >> 10)?) * 1_024.0;
            println!("{name:<24} {:>7.1}", bytes / f64::from(plan.visits));
        }
        println!(
            "limits: {} MiB for a question of ClickHouse and for DuckDB, 256 MiB for all questions \
             of the embedded log; {} threads each",
            limits::MIB,
            limits::threads()
        );
        println!(
            "of ClickHouse's times, {:.1} ms are of the server that passes statements on",
            self.clickhouse.empty_ms()?
        );
        Ok(())
    }
}

/// The folder with the data of all. They take the same files.
fn loaded(plan: &Plan, mine: &Path) -> Result<PathBuf> {
    let folder = folders::kept(plan).join(plan.beside.folder());
    let (folder, _) = folders::prepared(&folder, |folder| {
        let clickhouse = ClickHouse::start(&folder.join("clickhouse"))?;
        let url = clickhouse.url();
        let service = folder.join("service");
        fs::create_dir_all(&service)?;
        // The service creates its tables.
        let settings = [("SLUGLINE_ANALYTICS_URL", url.as_str())];
        Instance::start_with(&plan.binary, &service, &settings)?.stop()?;
        let mut duckdb = match plan.beside {
            Beside::All => Some(DuckDb::start(folder)?),
            Beside::Clickhouse | Beside::Nothing => None,
        };
        slices::each(&plan.binary, mine, plan.visits, folder, |file| {
            clickhouse.load(file)?;
            duckdb.as_mut().map_or(Ok(()), |duckdb| duckdb.load(file))
        })?;
        clickhouse.tidy()?;
        Ok(String::new())
    })?;
    println!(
        "(kept in target/bench/analytics-{}; delete it to load again)",
        plan.visits
    );
    Ok(folder)
}
