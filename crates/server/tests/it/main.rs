//! Runs the real binary, from the outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod closed_port; // a port that refuses connections
mod old_redis; // a Redis as an older instance left it
mod outsider; // a server of somebody else
mod own_database; // a PostgreSQL database of one test
#[cfg(target_os = "linux")] // whose processes the tests stop
mod own_postgres; // a PostgreSQL server of one test
mod programs; // programs of others that the tests drive
mod relay; // a way to a server that can be cut
mod server; // starts the binary on a free port and talks HTTP to it

mod access; // who may use the API, and how errors look
mod agent_day; // the tasks of a campaign, in few calls and bytes
mod analytics; // every question about visits, on both faces
mod audit; // who changed what
mod backup; // one file of everything, and the way back
mod browser; // the pages of the API reference in Chromium
mod by_visits; // links in the order of their visits
mod campaigns; // where visits come from, by the parameters of addresses
mod check; // destinations are asked, and inner ones are not
mod clickhouse; // visits in ClickHouse, of several nodes
mod client_identity; // who a client is, behind proxies
mod conditional; // changes that are meant for a version
mod dashboard; // the dashboard, in a real browser
#[cfg(target_os = "linux")] // whose service manager there is a unit for
mod deploy; // samples for proxies, container engines and systemd
mod devices; // programs and devices of visitors
mod doctor; // whether the databases are sound
mod editing; // changing links
mod erasing; // the visits of one link
#[cfg(target_os = "linux")] // whose ways to break things the tests use
mod faults; // what was acknowledged is there, whatever breaks
#[cfg(target_os = "linux")] // which tells the memory of a process
mod floods; // requests in numbers that no honest client sends
#[cfg(target_os = "linux")] // which alone has limits that can be changed from outside
mod full_disk; // a disk that takes no more visits
mod guessing; // passwords and tokens are guessed
mod hidden_destinations; // destinations behind a password, from who may not read links
mod languages; // pages in the visitor's language
mod link_pages; // links that answer with a page
mod live;
mod long_targets; // visits watched as they come in
mod main_job; // make links through REST and MCP, follow them, read the visits back
mod mcp_bridge; // MCP over standard input and output
mod mcp_clients; // the official MCP clients, in every mode
mod mcp_conformance; // the official conformance suite, and other people's use of our document
mod mcp_docs; // the guide and the registry's listing
mod mcp_gates; // every gate of the endpoint, on every path
mod mcp_schemas; // what the tools publish, against what they give and take
mod mcp_wire; // the gates and shapes of the MCP endpoint, by raw HTTP
mod mcp_words; // what a model reads: errors to repair, and texts of strangers
mod metrics; // what Prometheus reads
mod migration; // links of an older instance
#[cfg(target_os = "linux")] // whose processes the tests stop
mod nodes; // several nodes on one database, whatever happens to it
mod nothing_there; // the bare origin, and paths that lead nowhere
mod operators; // the log, the help, the settings
mod parity; // REST and MCP side by side
mod places; // where visitors are
mod postgres; // several nodes on one database
mod preview_mode; // a public demonstration
mod proxied_scripts; // scripts of proxied pages, in Chromium
mod proxy; // a destination's answer under the short link's address
mod public_side; // what visitors meet
#[cfg(unix)] // whose named pipes keep a restore waiting
mod restore_alone; // a restore, and commands that use the same files
mod routes; // the OpenAPI document against the mounted routes
mod safe_browsing; // dangerous destinations get a warning by themselves
mod searching; // finding and counting links
mod setup; // what an instance tells of its set-up, and what it never tells
mod sink_clients; // the requests of Sink's own clients
mod slow_clients; // clients that send or take bytes slowly, endlessly or over many connections
mod startup; // settings, token, data folder, shutdown
mod store_outage; // the database goes away
mod suggestions; // slugs and previews are suggested
mod tokens; // named tokens, and a new site token
#[cfg(feature = "otel")]
mod traces; // what a collector of traces hears
mod transfer; // export and import, by HTTP and by the command line
mod upgrade; // data of earlier versions
mod visit_files; // visits in files, and on their way to ClickHouse
mod visit_filters; // which visits a question is about: bots, tags, values to include and to exclude
mod webhook; // another server is told of visits
