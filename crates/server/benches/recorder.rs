//! Sends visits through the recorder to the disk, as fast as the recorder accepts them.
//!
//! Usage: `recorder VISITS FILE`. FILE becomes an access log with the visits of
//! [`slugline_testkit::world`]. Prints the time taken.

#![expect(clippy::print_stdout, reason = "a benchmark speaks through its output")]

use std::{
    env,
    error::Error,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use slugline_analytics::{Recorder, RecorderOptions, RecorderPorts, SaltPeriod, SamplingTargets};
use slugline_domain::{
    UnixMillis,
    ports::{Clock, VisitSink},
};
use slugline_testkit::{
    FixedClock, SeededRandom,
    world::{DAYS, END, Visits},
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: recorder VISITS FILE";

/// Visits between two barriers: those of a full batch.
const BLOCK: usize = 16_384;

/// Room for the two blocks in progress that leaves more than half of it free,
/// so that no visit is sampled for lack of room.
const QUEUE: usize = 8 * BLOCK;

/// The clock stays behind the visits; otherwise the salt of a day would end
/// while its last visits still wait.
const LAG_SECONDS: i64 = 86_400;

// The runtime's own thread waits for barriers while this one creates visits.
#[tokio::main(worker_threads = 1)]
async fn main() -> Outcome<()> {
    // Cargo adds its own flag.
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    let (Some(count), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err(USAGE.into());
    };
    let (count, file) = (count.parse()?, PathBuf::from(file));
    let clock = clock();
    let (recorder, _log) = slugline_visitlog::start(&file, options(), ports(&clock))?;
    let recorder = Arc::new(recorder);
    let began = Instant::now();
    record(&recorder, &clock, count).await?;
    let took = began.elapsed();
    recorder.shutdown().await;
    let bytes = file.metadata()?.len();
    say(count, took, recorder.dropped());
    println!(
        "file: {:.1} MB per million visits",
        float(bytes) / f64::from(count)
    );
    Ok(())
}

/// Sends all visits, two blocks at a time: one is on its way to the disk while the next is
/// created.
async fn record(recorder: &Arc<Recorder>, clock: &FixedClock, count: u32) -> Outcome<()> {
    let mut visits = Visits::new(count);
    let mut under_way = None;
    loop {
        let mut block = visits.by_ref().take(BLOCK).peekable();
        if block.peek().is_none() {
            break;
        }
        for visit in block {
            let due = visit.at.second().get() - LAG_SECONDS;
            clock.advance_seconds(due - clock.now().second().get());
            recorder.record(visit);
        }
        let recorder = Arc::clone(recorder);
        let flush = tokio::spawn(async move { recorder.flush().await });
        if let Some(before) = under_way.replace(flush) {
            before.await??;
        }
    }
    Ok(recorder.flush().await?)
}

fn options() -> RecorderOptions {
    RecorderOptions {
        queue: QUEUE,
        batch_rows: BLOCK,
        sampling: SamplingTargets::NONE,
        // As by default. Both logs see the same number of visitors.
        salt_period: SaltPeriod::Day,
        ..RecorderOptions::default()
    }
}

fn clock() -> Arc<FixedClock> {
    let start = END.get() - i64::from(DAYS) * 86_400 - LAG_SECONDS;
    let start = UnixMillis::new(start * 1_000).second();
    Arc::new(FixedClock::at(start))
}

fn ports(clock: &Arc<FixedClock>) -> RecorderPorts {
    let clock = Arc::clone(clock);
    RecorderPorts::new(clock, Arc::new(SeededRandom::new(1)))
}

fn say(count: u32, took: Duration, dropped: u64) {
    let rate = f64::from(count) / took.as_secs_f64();
    println!(
        "{count} visits in {:.1} s: {rate:.0} per second, {dropped} dropped",
        took.as_secs_f64()
    );
}

fn float(number: u64) -> f64 {
    u32::try_from(number >> 10).map_or(f64::INFINITY, |kib| f64::from(kib) * 1_024.0)
}
