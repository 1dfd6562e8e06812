//! The access log: what is kept of every followed link, and the answers to
//! questions about it.
//!
//! It knows visits and SQLite: how a visit is taken without making the
//! redirect wait, what is derived from it, how a visitor is told apart without
//! keeping an address, how rows are stored and how totals are worked out from
//! them. It does not know HTTP, the database of links, settings or the time of
//! day: visits bring their own moment, and what else it needs comes through
//! the ports of [`RecorderPorts`].
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
//! | `options` | what an operator may choose, and what the recorder needs from outside |
//! | `recorder` | the bounded queue that redirects push into, and its end |
//! | `tally` | what both sides of the queue count, and what does not work |
//! | `losses` | visits that were never stored, and when they came |
//! | `reminder` | how often a failure that lasts is told of |
//! | `writer` | the thread behind the queue: batches, retries, the final flush |
//! | `enrich` | what is derived from a visit: referring host, language, bounds of texts |
//! | `user_agent` | programs, systems and devices, by the `User-Agent` header |
//! | `place_file` | where addresses are, from an `.mmdb` file |
//! | `memo`, `number_map` | what was worked out before; maps by hashes |
//! | `visitor` | visitors told apart by a keyed hash |
//! | `salt` | how long the key of that hash lives |
//! | `sampling` | which visits become rows, and for how many each row stands |
//! | `row` | a visit in the form that engines keep |
//! | `clickhouse` | the scaled engine: ClickHouse, behind a spool in SQLite |
//! | `engine` | the embedded engine: a tail of rows and immutable column chunks in SQLite |
//! | `oracle` | in tests: every answer of an engine against plain SQL over the same rows |

mod clickhouse;
mod engine;
mod enrich;
mod losses;
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
mod user_agent;
mod visitor;
mod writer;

pub use clickhouse::{
    ClickHouseError, ClickHouseLog, ClickHouseOptions, ClickHouseTarget, ClickHouseTargetError,
    ClickHouseWire, DecodeError, WireAnswer, WireBody, WireError, WireRequest, examine_spool,
    rebuild_spool,
};
#[cfg(feature = "fuzzing")]
pub use engine::fuzz_chunk;
pub use engine::{EmbeddedLog, Examined, OpenError, Rebuilt, examine, rebuild};
#[cfg(feature = "fuzzing")]
pub use enrich::fuzz_visit_headers;
pub use options::{QueryLimits, RecorderOptions, RecorderPorts};
pub use place_file::{PlaceFile, PlaceFileError};
pub use recorder::{Recorder, RecorderClosed};
pub use salt::{SaltPeriod, SaltPeriodError};
pub use sampling::SamplingTargets;
