//! The database file.
//!
//! | module | holds |
//! |---|---|
//! | `schema`, `error` | the tables; why something cannot be stored or read |
//! | `tail`, `chunk`, `load`, `links`, `salted_days`, `erasure`, `day_totals`, `leaving` | what stands in the file |
//! | `embedded_rows`, `seal`, `log_length`, `chunk_lock` | a visit's way into the file |
//! | `upkeep` | the end of old rows, merged chunks, erased links, days that are counted, space that goes back |
//! | `day` | the totals of a day that is over |
//! | `snapshot`, `deadline`, `memory`, `turns`, `low_priority` | the log as one question reads it, and the bounds of a question |
//! | `mend` | a damaged file is examined, and rebuilt from what is left |

pub(crate) mod chunk;
pub(crate) mod chunk_lock;
pub(crate) mod day;
pub(crate) mod day_totals;
pub(crate) mod deadline;
pub(crate) mod embedded_rows;
pub(crate) mod erasure;
pub(crate) mod error;
pub(crate) mod leaving;
pub(crate) mod links;
pub(crate) mod load;
pub(crate) mod log_length;
pub(crate) mod low_priority;
pub(crate) mod memory;
pub(crate) mod mend;
pub(crate) mod salted_days;
pub(crate) mod schema;
pub(crate) mod seal;
pub(crate) mod snapshot;
pub(crate) mod tail;
pub(crate) mod turns;
pub(crate) mod upkeep;
