//! The access log: a record of every followed link, and queries on it.
//!
//! This crate knows visits and SQLite. It accepts a visit without making the redirect wait,
//! derives facts from it, distinguishes visitors without storing addresses, stores rows and
//! computes totals from them. It does not know HTTP, the database of links, settings or the
//! time of day: visits contain their own time, and the ports of [`RecorderPorts`] provide the
//! rest.
//!
//! ```
//! use std::{net::Ipv4Addr, sync::Arc};
//!
//! use slugline_analytics::{Recorder, RecorderOptions, RecorderPorts};
//! use slugline_domain::{
//!     CountersQuery, Visit, VisitHeaders,
//!     ports::{VisitLog, VisitSink},
//! };
//! use slugline_testkit::{FixedClock, NOON, SeededRandom, link};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let (recorder, log) = Recorder::start(
//!     &folder.path().join("analytics.db"),
//!     RecorderOptions::default(),
//!     RecorderPorts::new(
//!         Arc::new(FixedClock::at(NOON)),
//!         Arc::new(SeededRandom::new(1)),
//!     ),
//! )?;
//!
//! recorder.record(Visit {
//!     at: NOON.start(),
//!     link: Arc::new(link("docs").build()),
//!     client: Ipv4Addr::new(203, 0, 113, 7).into(),
//!     headers: VisitHeaders::new(
//!         "ExampleBrowser/1.0",
//!         "https://news.example/today",
//!         "en-US,en;q=0.5",
//!     ),
//!     place: None,
//! });
//! recorder.flush().await?;
//!
//! let report = log.counters(&CountersQuery::default()).await?;
//! assert_eq!(report.rows[0].counters.visits, 1);
//! assert!(report.sampling.exact());
//! recorder.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `options` | the settings of the recorder, and the ports that it needs |
//! | `recorder` | the bounded queue that redirects push into, and its end |
//! | `tally` | the state that both sides of the queue share |
//! | `losses` | visits that were never stored, by time |
//! | `reminder` | repeated warnings of a lasting failure |
//! | `writer` | the thread behind the queue: batches, retries, the final flush |
//! | `enrich` | the facts derived from a visit: referring host, language, bounds of texts |
//! | `user_agent` | programs, systems and devices, by the `User-Agent` header |
//! | `place_file` | places of addresses, from an `.mmdb` file |
//! | `memo`, `number_map` | a cache of results; maps by hashes |
//! | `visitor` | identification of visitors by a keyed hash |
//! | `salt` | the period of that key |
//! | `sampling` | the visits that become rows, and the number that each row stands for |
//! | `row` | a visit in the form that engines keep |
//! | `clickhouse` | the scaled engine: ClickHouse, behind a spool in SQLite |
//! | `transfer` | visits of files and of an embedded log on their way in, each once |
//! | `engine` | the embedded engine: a tail of rows and immutable column chunks in SQLite |
//! | `making` | what makes the tables of an access log |
//! | `oracle` | in tests: every answer of an engine against plain SQL over the same rows |

mod clickhouse;
mod engine;
mod enrich;
mod losses;
mod making;
mod memo;
mod number_map;
mod options;
#[cfg(test)]
mod oracle;
mod place_file;
mod recorder;
mod reminder;
mod row;
mod salt;
mod sampling;
mod tally;
mod transfer;
mod user_agent;
mod utc;
mod visitor;
mod writer;

pub use clickhouse::{
    ClickHouseError, ClickHouseLog, ClickHouseOptions, ClickHouseTarget, ClickHouseTargetError,
    ClickHouseWire, DecodeError, Stalled, WireAnswer, WireBody, WireError, WireRequest,
    examine_spool, rebuild_spool,
};
#[cfg(feature = "fuzzing")]
pub use engine::fuzz_chunk;
pub use engine::{EmbeddedLog, Examined, OpenError, Rebuilt, examine, rebuild};
#[cfg(feature = "fuzzing")]
pub use enrich::fuzz_visit_headers;
pub use making::{Making, making_of};
pub use options::{QueryLimits, RecorderOptions, RecorderPorts};
pub use place_file::{PlaceFile, PlaceFileError};
pub use recorder::{Recorder, RecorderClosed, RecorderNumbers};
pub use salt::{SaltPeriod, SaltPeriodError};
pub use sampling::SamplingTargets;
pub use transfer::{
    ImportPlan, ImportPlanner, ImportTarget, Imported, Moved, TransferError, VisitImport,
    history_in, move_history,
};

/// The columns of texts that stored visits have, in the order of files.
pub fn visit_columns() -> &'static [slugline_domain::VisitColumn] {
    engine::in_files()
}
