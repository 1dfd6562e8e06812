//! Runs the real binary, from the outside.

#![cfg(unix)] // whose signals and programs the tests use
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support; // the service, and the programs and servers around it

mod abuse; // clients that no honest person runs
mod api; // the API as a whole, by REST and MCP
mod assistants; // applications that connect by an address
mod book; // README and the pages of docs
mod dashboard; // the dashboard, in a real browser
#[cfg(target_os = "linux")] // whose service manager there is a unit for
mod deploy; // samples for proxies, container engines and systemd
mod embedding; // the service inside another program
#[cfg(target_os = "linux")] // whose ways to break things the tests use
mod faults; // what was acknowledged is there, whatever breaks
mod links; // changing and finding links
mod mcp; // the MCP endpoint and its official clients
#[cfg(target_os = "linux")] // whose processes the tests stop
mod nodes; // several nodes on one database, whatever happens to it
mod operation; // settings, files and commands of the service
mod tokens; // named tokens, and a new site token
mod visitors; // what visitors meet
mod visits; // what is recorded, and every question about it
