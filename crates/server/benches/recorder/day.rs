//! One day of visits as it comes in life.
//!
//! The recorder stores a batch every 0.9 seconds, so a day of few visits has small batches. Here
//! each 0.9 seconds of the visits' own time are a batch, and the clock goes with the visits. At
//! the end the day is not over for the recorder, so its upkeep is left to whoever opens the file
//! next.

use std::{error::Error, fs, io, time::Instant};

use slugline_analytics::Recorder;
use slugline_domain::{
    UnixMillis,
    ports::{Clock, VisitSink},
};
use slugline_testkit::{
    FixedClock,
    world::{DAYS, Visits},
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const BATCH_MS: i64 = 900;
const DAY_MS: i64 = 86_400_000;

/// Records the first of days with this many visits each, and prints what that cost.
pub(crate) async fn record(recorder: &Recorder, clock: &FixedClock, a_day: u32) -> Outcome<()> {
    let all = a_day.checked_mul(DAYS);
    let mut visits = Visits::new(all.ok_or("too many visits a day")?).peekable();
    let first = visits.peek().ok_or("there are no visits")?.at;
    let is_of_day = |at: UnixMillis| at.get() / DAY_MS == first.get() / DAY_MS;
    let show = |at: UnixMillis| {
        clock.advance_seconds(at.second().get() - clock.now().second().get());
    };
    show(first);
    let began = Instant::now();
    let (mut count, mut batches) = (0_u32, 0_u32);
    let mut batch = first.get() / BATCH_MS;
    while let Some(visit) = visits.next_if(|visit| is_of_day(visit.at)) {
        let next = visit.at.get() / BATCH_MS;
        if next != batch {
            recorder.flush().await?;
            (batch, batches) = (next, batches + 1);
            show(visit.at);
        }
        recorder.record(visit);
        count += 1;
    }
    recorder.flush().await?;
    let writer = writer_nanos()?;
    recorder.shutdown().await;
    println!(
        "{{\"visits\":{count},\"batches\":{},\"dropped\":{},\"seconds\":{:.3},\
          \"writer_nanos\":{writer},\"written\":{}}}",
        batches + 1,
        recorder.dropped(),
        began.elapsed().as_secs_f64(),
        written()?,
    );
    Ok(())
}

/// Processor time of the thread that stores visits.
fn writer_nanos() -> Outcome<u64> {
    for thread in fs::read_dir("/proc/self/task")? {
        let thread = thread?.path();
        if fs::read_to_string(thread.join("comm"))?.trim_end() == "access-log" {
            let times = fs::read_to_string(thread.join("schedstat"))?;
            return Ok(times.split(' ').next().unwrap_or_default().parse()?);
        }
    }
    Err("no thread is called access-log".into())
}

/// Bytes that this process has sent to the disk.
fn written() -> Outcome<u64> {
    let counts = fs::read_to_string("/proc/self/io")?;
    let mut lines = counts.lines();
    let bytes = lines.find_map(|line| line.strip_prefix("write_bytes: "));
    let bytes = bytes.ok_or_else(|| io::Error::other("/proc/self/io has no write_bytes"))?;
    Ok(bytes.parse()?)
}
