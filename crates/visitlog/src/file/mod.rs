//! The database file.
//!
//! | module | holds |
//! |---|---|
//! | `schema`, `error` | the tables; the errors of storing and reading |
//! | `tail`, `chunk`, `load`, `links`, `salted_days`, `erasure`, `day_totals`, `handover` | the content of the file |
//! | `embedded_rows`, `seal`, `wal_length`, `chunk_lock` | a visit's way into the file |
//! | `upkeep` | maintenance: deleting old rows, merging chunks, erasing links, counting days, returning space |
//! | `day` | day totals |
//! | `snapshot`, `limits` | the log as one question reads it, and the limits of a question |
//! | `examine`, `salvage` | examining a damaged file, and rebuilding it |

pub(crate) mod chunk;
pub(crate) mod chunk_lock;
pub(crate) mod day;
pub(crate) mod day_totals;
pub(crate) mod embedded_rows;
pub(crate) mod erasure;
pub(crate) mod error;
pub(crate) mod examine;
pub(crate) mod handover;
pub(crate) mod limits;
pub(crate) mod links;
pub(crate) mod load;
pub(crate) mod salted_days;
pub(crate) mod salvage;
pub(crate) mod schema;
pub(crate) mod seal;
pub(crate) mod snapshot;
pub(crate) mod tail;
pub(crate) mod upkeep;
pub(crate) mod wal_length;
