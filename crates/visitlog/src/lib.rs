//! The access log in one file: a record of every followed link, and queries on it.
//!
//! The file is an `SQLite` database that holds a tail of rows, where visits arrive, and immutable
//! column chunks, into which full tails are sealed. A row is in exactly one of the two at all
//! times. A chunk is complete in itself: only the names of links are elsewhere. Queries choose
//! chunks by time, read only the columns that they need and scan the rows themselves, in
//! milliseconds where SQL over rows takes seconds.
//!
//! ```
//! use std::{net::Ipv4Addr, sync::Arc};
//!
//! use slugline_analytics::{RecorderOptions, RecorderPorts, SamplingTargets};
//! use slugline_domain::{
//!     CountersQuery, Visit, VisitHeaders, Way,
//!     ports::{VisitLog, VisitSink},
//! };
//! use slugline_testkit::{FixedClock, NOON, SeededRandom, link};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let (recorder, log) = slugline_visitlog::start(
//!     &folder.path().join("analytics.db"),
//!     RecorderOptions {
//!         sampling: SamplingTargets::NONE,
//!         ..RecorderOptions::default()
//!     },
//!     RecorderPorts::new(
//!         Arc::new(FixedClock::at(NOON)),
//!         Arc::new(SeededRandom::new(1)),
//!     ),
//! )?;
//!
//! recorder.record(Visit {
//!     at: NOON.start(),
//!     link: link("docs").followed(),
//!     client: Ipv4Addr::new(203, 0, 113, 7).into(),
//!     headers: VisitHeaders::new(
//!         "ExampleBrowser/1.0",
//!         "https://news.example/today",
//!         "en-US,en;q=0.5",
//!     ),
//!     place: None,
//!     way: Way::Main,
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
//! With [`SamplingTargets::NONE`] every visit becomes a row, and every answer is exact while none
//! is lost. By default visits are sampled above 600 a minute of one link and 20,000 of all; answers
//! about such times are estimates, and say so. `examples/record.rs` is a whole program.
//!
//! [`SamplingTargets::NONE`]: slugline_analytics::SamplingTargets::NONE
//!
//! Three floors, each of which knows only those below it:
//!
//! | floor | holds |
//! |---|---|
//! | `format` | bytes in, columns out: the chunk and batch formats, blocks of rows in memory; no `SQLite` |
//! | `file` | the database file: tables, tail, sealing, merging, erasing, retention, totals of days, snapshots, examination and rebuilding |
//! | `query` | an immutable plan of the days and chunks to read, the scan, and one file for each question |
//!
//! The entrances are above them: `log` opens a log and its recorder and implements the port of the
//! domain, `intake` takes visits of files, and `moving` passes the visits to another engine.

mod file;
mod format;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod intake;
mod log;
mod moving;
mod query;
#[cfg(test)]
mod tests;

pub use file::schema::{SchemaStatements, making_of};
pub use file::{examine::examine, salvage::rebuild};
#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_chunk;
pub use intake::LogIntake;
pub use log::EmbeddedLog;
pub use log::start;
pub use moving::{Moved, history_in, move_history};
