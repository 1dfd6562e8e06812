//! The embedded engine: one SQLite file that holds a tail of rows, where
//! visits arrive, and immutable column chunks, into which full tails are
//! sealed. A row is in exactly one of the two at all times.
//!
//! A chunk stands alone: its texts and its columns are its own, and only the
//! names of links are elsewhere. Questions choose chunks by time, read only the
//! columns they need and go through the rows themselves; SQL over rows takes
//! seconds where this takes milliseconds.
//!
//! | folder | holds |
//! |---|---|
//! | `store` | what stands in the file: tables and versions, the table of columns, the chunk format, numbers of links, rows of the tail, salts, losses, the lock |
//! | `write` | a visit's way into the file: `append` takes a batch, `seal` makes chunks of rows |
//! | `upkeep` | the end of old rows, by a clock that can be believed; one chunk for each day of a quiet site; space that goes back |
//! | `read` | a question's way through the rows: `log` is the port, `scan` the pass over them, the rest what it counts with |
//! | `day` | the totals of a day that is over: what they are, and how they are counted |
//! | `answer` | the questions, one each |
//! | `mend` | what is done about a damaged file: look, save what is left, replace |

mod answer;
mod day;
#[cfg(feature = "fuzzing")]
mod fuzzing;
#[cfg(test)]
mod hidden_destinations;
mod mend;
#[cfg(test)]
mod properties;
mod read;
mod store;
#[cfg(test)]
mod tests;
mod upkeep;
mod write;

#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_chunk;
pub use mend::examine::{Examined, examine};
pub(crate) use mend::{
    examine::{Finding, pages, said},
    remains,
    replace::replace,
};
pub use mend::{replace::Rebuilt, salvage::rebuild};
pub use read::log::EmbeddedLog;
pub(crate) use read::visits::{all_chunks, visits_of_chunk};
pub use store::error::OpenError;
pub(crate) use store::{
    columns::{TEXTS, TextColumn, in_files, place_of, text_of},
    error::EngineError,
    lock::share,
    lock::take_alone,
    loss_table, salts,
    schema::{ACCESS_LOG, FileKind, making_of, open_file, open_to_examine, open_writer},
    tail,
};
#[cfg(test)]
pub(crate) use tests::row;
pub(crate) use upkeep::{give_all_back, give_back};
pub(crate) use write::{
    append::{Appended, Appender},
    embedded_rows::EmbeddedRows,
    row_table::{Maintained, RowTable},
    seal::seal_before,
};
