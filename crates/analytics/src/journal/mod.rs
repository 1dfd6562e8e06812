//! The `SQLite` file that a recorder appends to.
//!
//! An engine decides where rows go ([`RowTable`]); everything beside them is the same for all
//! engines.
//!
//! | module | holds |
//! |---|---|
//! | `open`, `error` | opening a file: its purpose, its version, its settings, its free pages; the errors of opening |
//! | `lock` | lets a process replace the file only while no other writes to it |
//! | `row_table`, `appender` | the port of an engine's rows; one batch, one transaction |
//! | `salts`, `clock` | the keys of visitors; the clock that ends them, and old visits |
//! | `remains`, `replace`, `wipe` | the findings of an examination, and the readable rows of a damaged file; the file that replaces it |

pub mod appender;
#[cfg(test)]
pub(crate) mod blank;
pub mod clock;
pub mod error;
pub mod lock;
pub mod open;
pub mod remains;
pub mod replace;
pub mod row_table;
pub mod salts;
pub mod wipe;

pub use error::OpenError;
pub use remains::Examined;
pub use replace::Rebuilt;
pub use row_table::RowTable;
