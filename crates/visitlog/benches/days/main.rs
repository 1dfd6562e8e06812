//! Measures the time that totals of days save, and the room that they take.
//!
//! Usage: `days FILE`, an access log that the benchmark `recorder` made, or `days FILE VISITS DOMAINS`,
//! which makes one with visits of links in so many domains. Counts its days, then asks the questions of
//! a dashboard with totals and without them, about all visits, about people's, and, which always read
//! rows, about those of the default and of a named domain. Compares the answers. The file has no totals afterwards.

#![expect(clippy::print_stdout, reason = "a benchmark speaks through its output")]

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use slugline_analytics::{RecorderOptions, RecorderPorts, SamplingTargets};
use slugline_domain::{
    Bots, Choice, CountersQuery, Dimension, HeatmapQuery, LocationsQuery, MetricsQuery, RowLimit,
    TimeUnit, UnixMillis, UnixSeconds, UtcOffset, ViewsQuery, VisitFilter, ZoneOffsets,
    ports::{Clock, VisitLog, VisitSink},
};
use slugline_testkit::{
    FixedClock, SeededRandom,
    world::{DAYS, Visits},
};
use slugline_visitlog::EmbeddedLog;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The end of the visits: 2025-11-08 00:00 UTC.
const END: i64 = 1_762_560_000;

/// Processor time that is spent on each question at least, in seconds: the system's clock of
/// processes has ticks of a hundredth.
const LEAST: f64 = 0.3;

#[tokio::main(worker_threads = 1)]
async fn main() -> Outcome<()> {
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    let usage = "usage: days FILE [VISITS DOMAINS]";
    let file = PathBuf::from(arguments.next().ok_or(usage)?);
    if let Some(visits) = arguments.next() {
        let domains = arguments.next().ok_or(usage)?;
        record(
            &file,
            Visits::over_domains(visits.parse()?, domains.parse()?),
        )
        .await?;
    }
    let log = count_days(&file).await?;
    let with = ask_all(&log).await?;
    Connection::open(&file)?.execute_batch("DELETE FROM day_totals")?;
    let without = ask_all(&log).await?;
    println!(
        "{:<42} {:>4} {:>12} {:>12}",
        "ms of processor time", "days", "with totals", "scanned"
    );
    for (one, other) in with.iter().zip(&without) {
        let same = if one.answer == other.answer {
            ""
        } else {
            " (another answer)"
        };
        println!(
            "{:<42} {:>4} {:>12.2} {:>12.2}{same}",
            one.what, one.days, one.millis, other.millis
        );
    }
    Ok(())
}

/// Records visits of links, as they come in life.
async fn record(file: &Path, visits: Visits) -> Outcome<()> {
    /// Visits between two barriers: fewer than would be sampled for lack of room.
    const BLOCK: usize = 16_384;
    /// The clock stays behind the visits; otherwise the salt of a day would end while its last visits
    /// still wait.
    const LAG: i64 = 86_400;
    let start = UnixSeconds::new(END - i64::from(DAYS) * 86_400 - LAG)?;
    let clock = Arc::new(FixedClock::at(start));
    let ports = RecorderPorts::new(
        Arc::<FixedClock>::clone(&clock),
        Arc::new(SeededRandom::new(1)),
    );
    let options = RecorderOptions {
        queue: 8 * BLOCK,
        batch_rows: BLOCK,
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    };
    let (recorder, _log) = slugline_visitlog::start(file, options, ports)?;
    for (number, visit) in visits.enumerate() {
        let due = visit.at.second().get() - LAG;
        clock.advance_seconds(due - clock.now().second().get());
        recorder.record(visit);
        if number % BLOCK == BLOCK - 1 {
            recorder.flush().await?;
        }
    }
    recorder.flush().await?;
    recorder.shutdown().await;
    // Days that were counted on the way are counted once more, to measure it.
    Connection::open(file)?.execute_batch("DELETE FROM day_totals")?;
    Ok(())
}

/// Opens the log a day later and waits until its days are counted.
async fn count_days(file: &Path) -> Outcome<EmbeddedLog> {
    let later = UnixMillis::new((END + 86_400) * 1_000).second();
    let clock = Arc::new(FixedClock::at(later));
    let ports = RecorderPorts::new(clock, Arc::new(SeededRandom::new(1)));
    let (recorder, log) = slugline_visitlog::start(file, RecorderOptions::default(), ports)?;
    wait_for_none(file, "SELECT count(*) FROM tail")?;
    let (began, cpu) = (Instant::now(), cpu_seconds()?);
    wait_for_none(
        file,
        "SELECT count(DISTINCT day) FROM chunk WHERE day NOT IN \
         (SELECT day FROM day_totals WHERE directory IS NOT NULL)",
    )?;
    recorder.shutdown().await;
    let rows = number(file, "SELECT sum(n) FROM chunk")?;
    let bytes = number(
        file,
        "SELECT (SELECT sum(length(directory)) FROM day_totals) + \
                (SELECT sum(length(data)) FROM day_part)",
    )?;
    let of_segments = number(
        file,
        "SELECT (SELECT sum(length(directory)) FROM day_totals WHERE segment > 0) + \
                (SELECT sum(length(data)) FROM day_part WHERE id / 256 % 65536 > 0)",
    )?;
    println!(
        "{rows} visits counted in {:.1} s, {:.1} s of processor time; totals take {bytes} bytes, \
         {of_segments} of them for people and bots",
        began.elapsed().as_secs_f64(),
        cpu_seconds()? - cpu
    );
    Ok(log)
}

fn wait_for_none(file: &Path, sql: &str) -> Outcome<()> {
    while number(file, sql)? > 0 {
        thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

fn number(file: &Path, sql: &str) -> Outcome<i64> {
    Ok(Connection::open(file)?.query_row(sql, [], |row| row.get(0))?)
}

/// A question that was asked.
struct Asked {
    what: String,
    days: i64,
    millis: f64,
    answer: String,
}

/// The visits that a question is about.
#[derive(Clone, Copy)]
struct About {
    days: i64,
    bots: Bots,
    domain: Option<&'static str>,
}

impl About {
    fn filter(self) -> VisitFilter {
        let of_domain = self.domain.map(|domain| {
            let only = Choice::any_of([domain.to_owned()]);
            (Dimension::Domain, only)
        });
        VisitFilter {
            from: UnixSeconds::new(END - self.days * 86_400).ok(),
            until: UnixSeconds::new(END - 1).ok(),
            values: self.bots.condition().into_iter().chain(of_domain).collect(),
            ..VisitFilter::default()
        }
    }

    fn name(self) -> String {
        let domain = self.domain.map(|domain| match domain {
            "" => ", default domain".to_owned(),
            named => format!(", {named}"),
        });
        let people = (self.bots == Bots::Exclude).then_some(", people");
        format!(
            "{}{}",
            domain.unwrap_or_default(),
            people.unwrap_or_default()
        )
    }
}

async fn ask_all(log: &EmbeddedLog) -> Outcome<Vec<Asked>> {
    let mut asked = Vec::new();
    let about = |days, bots, domain| About { days, bots, domain };
    for of in [
        about(90, Bots::Include, None),
        about(90, Bots::Exclude, None),
        about(90, Bots::Include, Some("")),
        about(90, Bots::Include, Some("d1.example")),
        about(90, Bots::Exclude, Some("d1.example")),
        about(30, Bots::Include, None),
        about(30, Bots::Exclude, None),
    ] {
        for what in [
            "counters",
            "views by hour",
            "views by day",
            "heatmap",
            "places",
        ] {
            asked.push(ask(log, what, of, None).await?);
        }
        for &dimension in Dimension::ALL {
            if dimension != Dimension::Ip {
                asked.push(ask(log, "", of, Some((dimension, false))).await?);
            }
        }
        for dimension in [Dimension::Country, Dimension::Slug] {
            asked.push(ask(log, "", of, Some((dimension, true))).await?);
        }
    }
    Ok(asked)
}

async fn ask(
    log: &EmbeddedLog,
    what: &'static str,
    of: About,
    dimension: Option<(Dimension, bool)>,
) -> Outcome<Asked> {
    let filter = of.filter();
    let zone = ZoneOffsets::fixed(UtcOffset::from_seconds(3_600).ok_or("an hour")?);
    let (cpu, mut rounds) = (cpu_seconds()?, 0);
    loop {
        let filter = filter.clone();
        let zone = zone.clone();
        let answer = match (what, dimension) {
            (_, Some((dimension, visitors))) => {
                let limit = RowLimit::DEFAULT;
                let query = MetricsQuery {
                    filter,
                    dimension,
                    limit,
                    visitors,
                };
                format!("{:?}", log.metrics(&query).await?)
            }
            ("counters", None) => {
                let query = CountersQuery {
                    filter,
                    per_link: false,
                };
                format!("{:?}", log.counters(&query).await?)
            }
            ("heatmap", None) => {
                format!("{:?}", log.heatmap(&HeatmapQuery { filter, zone }).await?)
            }
            ("places", None) => {
                let limit = RowLimit::DEFAULT;
                format!(
                    "{:?}",
                    log.locations(&LocationsQuery { filter, limit }).await?
                )
            }
            (what, None) => {
                let unit = if what == "views by day" {
                    TimeUnit::Day
                } else {
                    TimeUnit::Hour
                };
                format!("{:?}", log.views(&ViewsQuery { filter, unit, zone }).await?)
            }
        };
        rounds += 1;
        let spent = cpu_seconds()? - cpu;
        if spent > LEAST {
            let millis = spent * 1e3 / f64::from(rounds);
            let what = dimension.map_or(what.to_owned(), |(dimension, visitors)| {
                format!("{dimension:?}{}", if visitors { ", visitors" } else { "" })
            });
            return Ok(Asked {
                what: format!("{what}{}", of.name()),
                days: of.days,
                millis,
                answer,
            });
        }
    }
}

/// The processor time of this process, of threads that ended, too.
fn cpu_seconds() -> Outcome<f64> {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().ok_or("no name")?;
    let field = |index: usize| -> Outcome<f64> {
        Ok(after_name
            .split_whitespace()
            .nth(index)
            .ok_or("too few fields")?
            .parse()?)
    };
    Ok((field(11)? + field(12)?) / TICKS)
}
