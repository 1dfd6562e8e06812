//! Old stores against the real thing: a Redis of our own, and files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bulk_files; // the members of bulk files
mod contract; // the port's contract suite on both kinds of store
mod redis_server; // a Redis in a temporary folder
mod redis_stores; // what only Redis does
