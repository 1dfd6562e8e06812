//! Wiring, settings, command line and lifecycle of Slugline.
//!
//! This top crate depends on all others and connects them. No crate below it reads the
//! environment, opens a listener or knows which database implements a port. Other programs can
//! start the whole service from here:
//!
//! ```
//! use slugline::{Service, Settings};
//!
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
//! let folder = tempfile::tempdir()?;
//! let settings = Settings::from_pairs([
//!     ("SLUGLINE_LISTEN", "127.0.0.1:0"),
//!     ("SLUGLINE_DATA_DIR", folder.path().to_str().unwrap()),
//!     ("SLUGLINE_SITE_TOKEN", "correct-horse-battery"),
//! ])?;
//! let service = Service::builder(&settings).start().await?;
//! println!("listening on {}", service.address());
//! service.stop().await?;
//! # Ok::<(), anyhow::Error>(()) })?;
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`settings`] | every setting: catalogue, sources, checked values |
//! | [`cli`] | the command line |
//! | `builder` | the service, and what a program adds to it |
//! | [`operation`], [`tool`], [`observers`] | additions: operations, MCP tools, observers |
//! | `additions` | the checks of additions before the start |
//! | `api_routes` | every operation of the API |
//! | `wiring` | settings → running parts |
//! | `service` | start, address, stop |
//! | `connections` | limits and timeouts of connections |
//! | `assistants`, `public_address` | connecting assistants; the public address as they see it |
//! | `service_path` | the paths of the service itself |
//! | `mcp_bridge` | MCP over standard input and output, to a running instance |
//! | `healthcheck` | whether the service is ready, for container engines |
//! | `metrics` | the numbers of all parts, for Prometheus |
//! | `databases` | the database of links, opened; objects in our databases that are not ours |
//! | `links_check` | whether its pages are sound, after each start |
//! | `old_store` | migration of links from an older instance |
//! | `data_folder`, `instance_lock`, `site_token` | files beside the databases, and their disk |
//! | `secret_file` | files that hold one secret |
//! | `token_commands`, `domain_commands` | named tokens, and domains, from the command line |
//! | `sign_in_codes` | one-time codes for the site token |
//! | `setup`, `risky_settings` | the settings of an instance for its callers; findings about them |
//! | `background` | removal of what is no longer kept, the watch of destinations, changes of domains |
//! | `admin_host` | hosts that have some paths only |
//! | `doctor`, `seed` | the check of the databases; realistic data to look at |
//! | `transfer` | links to and from files |
//! | `visit_files` | visits to and from files, and to ClickHouse |
//! | `backup` | backups of everything, and restoring them |
//! | `clickhouse_wire` | the access log's client for ClickHouse |
//! | `process` | signals, open files, the priority of threads |
//! | `traces` | spans of requests, for a collector |
//! | `logging`, `welcome` | output for operators |

mod additions;
mod admin_host;
mod api_routes;
mod assistants;
mod background;
mod backup;
mod builder;
pub mod cli;
mod clickhouse_wire;
mod connections;
mod data_folder;
mod databases;
mod doctor;
mod domain_commands;
mod healthcheck;
mod instance_lock;
mod links_check;
mod logging;
mod mcp_bridge;
mod metrics;
pub mod observers;
mod old_store;
pub mod operation;
mod process;
mod progress;
mod public_address;
mod risky_settings;
mod secret_file;
mod seed;
mod service;
mod service_path;
pub mod settings;
mod setup;
mod sign_in_codes;
mod site_token;
mod token_commands;
pub mod tool;
mod traces;
mod transfer;
mod visit_files;
mod welcome;
mod wiring;

pub use builder::ServiceBuilder;
pub use observers::Observer;
pub use operation::{Operation, OperationSpec};
pub use service::Service;
pub use settings::Settings;
pub use slugline_application as application;
pub use slugline_application::{Access, App, Caller};
pub use slugline_contract::{Code, Problem};
pub use slugline_domain as domain;
pub use slugline_domain::Scope;
pub use slugline_httpkit::Failure;
pub use tool::{Tool, ToolContext, ToolEffect, ToolSpec};

/// The version that every face of the service reports.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
