//! The store against real databases.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod announcements; // PostgreSQL tells of changes
mod build_flags; // how SQLite was compiled
mod contract; // the contract suites on every back end
mod durability; // data survives a restart
mod history_off; // what was kept goes once nothing is kept
mod meanwhile; // what happens between two statements of a change
mod on_postgres; // databases for the other files
mod on_sqlite; // the same in files
mod search_queue; // texts that wait to be indexed
mod shared_commits; // changes that come at the same time
mod shared_follows; // slugs followed at the same time
mod statistics; // statistics for PostgreSQL's planner
mod unnoticed_changes; // changes that callers are not told of
mod upgrade; // databases of other versions and builds
