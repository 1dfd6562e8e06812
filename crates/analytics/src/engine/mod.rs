//! The embedded engine: one SQLite file that holds a tail of rows, where
//! visits arrive, and immutable column chunks, into which full tails are
//! sealed. A row is in exactly one of the two at all times.
//!
//! A chunk stands alone: its texts and its columns are its own, and only the
//! names of links are elsewhere. Questions choose chunks by time, read only the
//! columns they need and go through the rows themselves; SQL over rows takes
//! seconds where this takes milliseconds.
//!
//! | module | holds |
//! |---|---|
//! | `append` | the write side: one batch, one transaction; also in front of ClickHouse |
//! | `row_table`, `embedded_rows` | where an appender's rows go, and where they go here |
//! | `schema` | tables, versions, opening the file |
//! | `columns` | the table of columns |
//! | `links` | numbers of links |
//! | `salts` | the keys of visitor hashes and their end |
//! | `loss_table` | visits that were never stored, by their minutes |
//! | `tail`, `draft`, `seal`, `chunk` | rows, their move into chunks, the chunk format |
//! | `packed`, `front_coded`, `text_key` | numbers and texts of a column in few bytes; fingerprints of texts |
//! | `block`, `values`, `dictionary`, `selection` | rows in memory |
//! | `upkeep`, `retention`, `steady_clock`, `merge`, `vacuum` | the end of old rows, by a clock that can be believed; one chunk for each day of a quiet site; space that goes back |
//! | `examine`, `salvage`, `remains`, `replace`, `wipe`, `lock` | whether the file is sound, a new one of what is left if not, no salts in the old one, and nobody in between |
//! | `log`, `background` | the read side: limits, connections, the port; threads that step back |
//! | `filter`, `scan`, `distinct` | conditions, the pass over rows, counting without repetition |
//! | `groups`, `totals`, `shown_visitors`, `wall_clock`, `answer` | rows put together by what is shown of them; what they add up to; the time of day at a row |
//! | `counters`, `views`, `heatmap`, `metrics`, `locations`, `events`, `access` | the questions, one each |

mod access;
mod answer;
mod append;
mod background;
mod block;
mod chunk;
mod columns;
mod counters;
mod dictionary;
mod distinct;
mod draft;
mod embedded_rows;
mod error;
mod events;
mod examine;
mod filter;
mod front_coded;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod groups;
mod heatmap;
mod links;
mod locations;
mod lock;
mod log;
pub(crate) mod loss_table;
mod merge;
mod metrics;
mod packed;
#[cfg(test)]
mod properties;
pub(crate) mod remains;
mod replace;
mod retention;
mod row_table;
pub(crate) mod salts;
mod salvage;
mod scan;
mod schema;
mod seal;
mod selection;
mod shown_visitors;
mod steady_clock;
mod tail;
#[cfg(test)]
mod tests;
mod text_key;
mod totals;
mod upkeep;
mod vacuum;
mod values;
mod views;
mod wall_clock;
mod wipe;

pub(crate) use append::{Appended, Appender};
pub(crate) use error::EngineError;
pub use error::OpenError;
pub use examine::{Examined, examine};
pub(crate) use examine::{Finding, pages, said};
#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_chunk;
pub(crate) use lock::share;
pub use log::EmbeddedLog;
pub use replace::Rebuilt;
pub(crate) use replace::replace;
pub(crate) use row_table::RowTable;
pub use salvage::rebuild;
pub(crate) use schema::{FileKind, open_file, open_to_examine};
pub(crate) use vacuum::give_back;
