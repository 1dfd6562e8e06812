//! Visits and their recording.
//!
//! A redirect hands a visit to the [`Recorder`], which never makes it wait. One thread derives
//! facts from the visit, distinguishes visitors without storing addresses, samples where visits
//! come in floods, and appends rows in batches to the file of an engine. The engines are crates of
//! their own: `slugline-visitlog` keeps visits in that file, `slugline-clickhouse` sends them on to
//! ClickHouse. This crate does not know HTTP, the database of links, settings or the time of day:
//! visits contain their own time, and the ports of [`RecorderPorts`] provide everything else.
//!
//! | module | holds |
//! |---|---|
//! | `options` | the settings of the recorder, and the ports that it needs |
//! | `recorder` | the bounded queue that redirects push into, and its end |
//! | `writer` | the thread behind the queue: batches, retries, the final flush |
//! | `tally` | the state that both sides of the queue share |
//! | `losses`, `reminder` | visits that were never stored, by time; repeated warnings of a lasting failure |
//! | `enrich` | the facts derived from a visit: referring host, language, campaign |
//! | `user_agent`, `place_file`, `country_table` | programs, systems and devices, by the `User-Agent` header; places of addresses, from an `.mmdb` file; their countries, from a table in the program |
//! | `visitor`, `salt` | identification of visitors by a keyed hash; the period of that key |
//! | `sampling` | the visits that become rows, and the number that each row stands for |
//! | `sampled` | when visits were sampled, by time and by link |
//! | `row`, `columns`, `bounds` | a visit in the form that engines keep; the table of columns of texts, and the most bytes of each |
//! | `moments` | visits and visitors of one day, by the quarter of an hour, for the totals of engines |
//! | `transfer` | visits of files, and those of an embedded log, on their way into an engine, each once |
//! | `journal` | the `SQLite` file that a recorder appends to: salts, losses and sampled spans beside an engine's rows, locks, rebuilding |
//! | `memo`, `number_map`, `utc`, `beside` | a cache of results; maps by hashes; days; names of files beside a file |
//!
//! Modules that the documentation does not show are for the engines.

#[doc(hidden)]
pub mod batch;
#[doc(hidden)]
pub mod bounds;
#[doc(hidden)]
pub mod columns;
mod country_table;
mod enrich;
#[doc(hidden)]
pub mod journal;
#[doc(hidden)]
pub mod losses;
mod memo;
#[doc(hidden)]
pub mod moments;
#[doc(hidden)]
pub mod number_map;
mod options;
mod place_file;
mod recorder;
#[doc(hidden)]
pub mod reminder;
#[doc(hidden)]
pub mod row;
#[doc(hidden)]
pub mod salt;
#[doc(hidden)]
pub mod sampled;
mod sampling;
#[doc(hidden)]
pub mod tally;
#[doc(hidden)]
pub mod transfer;
mod user_agent;
#[doc(hidden)]
pub mod utc;
#[doc(hidden)]
pub mod visitor;
mod writer;

pub use columns::visit_columns;
pub use country_table::{CountrySource, CountryTable};
#[cfg(feature = "fuzzing")]
pub use enrich::fuzz_visit_headers;
pub use journal::{Examined, OpenError, Rebuilt};
pub use options::{QueryLimits, RecorderOptions, RecorderPorts};
pub use place_file::{PlaceFile, PlaceFileError};
pub use recorder::{Recorder, RecorderClosed, RecorderNumbers};
pub use salt::{SaltPeriod, SaltPeriodError};
pub use sampling::SamplingTargets;
#[doc(hidden)]
pub use sampling::{Pressure, Sampled};
pub use transfer::{
    ImportBatch, ImportPlan, ImportPlanner, Imported, Intake, Parcel, Passage, TransferError,
    VisitImport,
};
pub use user_agent::CachedAgents;
