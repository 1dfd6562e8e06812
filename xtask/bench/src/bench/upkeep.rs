//! What the access log does for a day of visits.
//!
//! The recorder stores a day in batches as they come in life, and leaves the day open. Then the
//! release binary starts on that file: it seals the rest, merges chunks and counts the day. A second
//! start finds nothing to do, so the difference is the upkeep.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{
    analytics, contender::WRITER, instance::Instance, plan::Plan, processor::threads_seconds, rest,
    samples::Samples, table::Table, usage::Usage,
};
use xtask::process;

/// Visits a day.
const DAYS: [u32; 2] = [100_000, 1_000_000];

/// A day takes a while, and its rounds differ little.
const ROUNDS: u32 = 3;

const FILE: &str = "analytics.db";

/// What the recorder said of a day.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    visits: f64,
    batches: f64,
    /// Processor time of the thread that stores visits, in seconds.
    writer: f64,
    written: f64,
}

/// A life of the service on a file.
#[derive(Clone, Copy, Debug)]
struct Life {
    usage: Usage,
    /// Processor time of the thread that stores visits and keeps their file, in seconds.
    writer: f64,
    /// The same of all threads, while there is nothing to do, in seconds a day.
    idle: f64,
}

/// The figures of the rounds, in the order of [`NAMES`].
type Figures = [Vec<f64>; NAMES.len()];

const NAMES: [&str; 10] = [
    "recording, µs of processor time a visit",
    "sealing and merging, µs a visit",
    "counting, µs a visit",
    "upkeep in all, seconds of processor time a day",
    "at rest, seconds of processor time a day",
    "written while recording, bytes a visit",
    "written by the upkeep, bytes a visit",
    "file in the end, bytes a visit",
    "written for each byte of the file",
    "peak of the service during the upkeep, MiB",
];

pub(crate) fn run(plan: &Plan) -> Result<()> {
    println!("\nupkeep: what the access log does for a day of visits, apart from the redirects");
    // The least, so that a quick look has a day too.
    let least = DAYS[0].min(plan.visits);
    let days = DAYS.into_iter().skip(1).filter(|day| *day <= plan.visits);
    for day in [least].into_iter().chain(days) {
        measure(plan, day)?;
    }
    Ok(())
}

fn measure(plan: &Plan, day: u32) -> Result<()> {
    let folder = plan.scratch(&format!("day-{day}"))?;
    let [recorded, empty, data] = ["recorded", "empty", "data"].map(|name| folder.join(name));
    fs::create_dir(&recorded)?;
    eprintln!("records a day of some {day} visits");
    let day = record(day, &recorded.join(FILE))?;
    // So that the making of tables is in no round.
    Instance::start(&plan.binary, &empty)?.stop()?;
    let mut figures = Figures::default();
    for round in 1..=ROUNDS.min(plan.rounds) {
        eprintln!("round {round}");
        copy(&empty, &data)?;
        copy(&recorded, &data)?;
        let with_upkeep = live(plan, &data)?;
        let without = live(plan, &data)?;
        let file = bytes(data.join(FILE).metadata()?.len());
        for (all, figure) in figures
            .iter_mut()
            .zip(round_of(day, with_upkeep, without, file))
        {
            all.push(figure);
        }
        fs::remove_dir_all(&data)?;
    }
    let Recorded {
        visits, batches, ..
    } = day;
    println!("\n{visits:.0} visits of one day, recorded once, in {batches:.0} batches\n");
    let mut table = Table::new(["", "median", "min–max"]);
    let mut noise = String::new();
    for (name, figures) in NAMES.into_iter().zip(figures) {
        let figures = Samples::new(figures)?;
        let decimals = if figures.median() < 10.0 { 2 } else { 0 };
        table.row([
            name.to_owned(),
            figures.middle(decimals),
            figures.range(decimals),
        ]);
        if name.starts_with("counting") {
            noise = figures.noise("counting");
        }
    }
    println!("{table}{noise}");
    Ok(())
}

fn round_of(day: Recorded, with: Life, without: Life, file: f64) -> [f64; NAMES.len()] {
    let upkeep = with.usage.cpu - without.usage.cpu;
    let merging = with.writer - without.writer;
    let written = with.usage.written - without.usage.written;
    let a_visit = |amount: f64| amount / day.visits;
    [
        a_visit(day.writer * 1e6),
        a_visit(merging * 1e6),
        a_visit((upkeep - merging) * 1e6),
        upkeep,
        without.idle,
        a_visit(day.written),
        a_visit(written),
        a_visit(file),
        (day.written + written) / file,
        with.usage.peak,
    ]
}

/// Records a day; returns what the recorder said.
fn record(day: u32, file: &Path) -> Result<Recorded> {
    let mut recorder = analytics::recorder();
    recorder.arg(day.to_string()).arg(file).arg("--day");
    let said = String::from_utf8(process::stdout(&mut recorder)?)?;
    let said = said.lines().last().unwrap_or_default();
    let said: Value = serde_json::from_str(said).with_context(|| said.to_owned())?;
    let number = |name: &str| {
        let number = said[name].as_f64();
        number.with_context(|| format!("the recorder did not say {name}: {said}"))
    };
    anyhow::ensure!(number("dropped")? < 1.0, "visits were dropped: {said}");
    Ok(Recorded {
        visits: number("visits")?,
        batches: number("batches")?,
        writer: number("writer_nanos")? / 1e9,
        written: number("written")?,
    })
}

/// Copies the files of a folder over those of another one.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Lets the service live on a file until it has nothing more to do.
fn live(plan: &Plan, data: &Path) -> Result<Life> {
    const IDLE: Duration = Duration::from_secs(10);
    let instance = Instance::start(&plan.binary, data)?;
    let pid = instance.pid();
    rest::wait_for(pid)?;
    let (before, began) = (threads_seconds(pid, None)?, Instant::now());
    thread::sleep(IDLE);
    let idle = threads_seconds(pid, None)? - before;
    Ok(Life {
        idle: idle / began.elapsed().as_secs_f64() * 86_400.0,
        writer: threads_seconds(pid, Some(WRITER))?,
        usage: instance.end()?,
    })
}

fn bytes(length: u64) -> f64 {
    u32::try_from(length >> 10).map_or(f64::INFINITY, |kib| f64::from(kib) * 1_024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upkeep_is_what_the_first_life_used_more() {
        let day = Recorded {
            visits: 1_000.0,
            batches: 10.0,
            writer: 0.004,
            written: 90_000.0,
        };
        let life = |cpu, written, writer| Life {
            usage: Usage {
                seconds: 1.0,
                cpu,
                peak: 40.0,
                written,
            },
            writer,
            idle: 3.0,
        };
        let figures = round_of(
            day,
            life(0.5, 14_000.0, 0.3),
            life(0.1, 4_000.0, 0.1),
            20_000.0,
        );
        let shown = figures.map(|figure| format!("{figure:.1}"));
        let expected = [
            "4.0", "200.0", "200.0", "0.4", "3.0", "90.0", "10.0", "20.0", "5.0", "40.0",
        ];
        assert_eq!(shown, expected);
    }
}
