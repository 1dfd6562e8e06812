//! Injected faults. Under every fault the service keeps acknowledged changes, stores no partial
//! ones, and recovers by itself when the fault ends.
//!
//! Each test prints a table of the faults it injected; `--nocapture` shows it.
//! `SLUGLINE_TEST_FAULTS=20` injects about twenty times as many, `SLUGLINE_TEST_SEED` repeats
//! the random choices of a run that failed, and `SLUGLINE_TEST_BINARY` tests another binary
//! than the one just built.

pub(crate) mod actor; // a client that makes, changes and deletes links of its own
pub(crate) mod amount; // how many faults, and random choices that can be repeated
mod operation; // what a client does to links, and how the answer is read
mod promise; // what has to be there, and whether it is
#[expect(dead_code, reason = "tests of the access log use the rest")]
mod shim; // faults of the disk, by a library in front of the C library
mod small_disk; // a disk that can be filled
mod sweep; // each call of an operation fails in turn
mod table; // what was injected and what came of it
mod trial; // a service to break, and all that it promised
mod versions; // links whose every member tells the same version

mod assistants; // faults while applications connect
mod batches; // faults while many links are changed by one request
mod checkpoints; // faults while the write-ahead log is moved into the database
mod clock_jumps; // the clock is set, forwards and backwards
mod concurrent; // faults under several clients at once
pub(crate) mod deaths; // kill -9
mod full_disk; // limits on files, and a small disk
mod hang_ups; // clients that do not wait for the answer
mod history; // faults while links are changed, deleted, brought back and erased
mod limits; // visits that are counted
mod migration_pages; // faults while links of an older instance are moved
mod repetitions; // requests that are sent again under a key
mod sessions; // PostgreSQL ends sessions
mod single_calls; // every call of every operation fails once
mod watch; // destinations are asked, and what they answer cannot be kept
