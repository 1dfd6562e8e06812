//! The `SQLite` file that a recorder appends to.
//!
//! An engine says where rows go ([`RowTable`]); what stands beside them is the same for all.
//!
//! | module | holds |
//! |---|---|
//! | `open`, `error` | opening a file: its purpose, its version, its settings; why it cannot be opened |
//! | `lock` | lets a process replace the file only while no other writes to it |
//! | `row_table`, `appender` | the port of an engine's rows; one batch, one transaction |
//! | `salts` | the keys of visitors |
//! | `loss_table`, `loss_file` | visits that were lost, in the file, and beside it while the file takes nothing |
//! | `space` | free pages go back to the file system |
//! | `findings` | what an examination finds |
//! | `remains`, `replace`, `wipe` | what is left of a damaged file, and its successor |

pub mod appender;
#[cfg(test)]
mod blank;
pub mod error;
pub mod findings;
pub mod lock;
pub mod loss_file;
pub mod loss_table;
pub mod open;
pub mod remains;
pub mod replace;
pub mod row_table;
pub mod salts;
pub mod space;
pub mod wipe;

pub use error::OpenError;
pub use findings::Examined;
pub use replace::Rebuilt;
pub use row_table::RowTable;
