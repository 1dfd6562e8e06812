//! The store against real databases.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod contract; // the port's contract suite on every back end
mod durability; // what must survive a restart
mod shared_commits; // changes that come at the same time
mod unnoticed_changes; // changes that nobody here is told of
