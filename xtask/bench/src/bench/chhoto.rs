//! Chhoto URL, another link shortener in Rust with SQLite.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::json;

use super::{
    cpus::Cpus,
    export,
    guard::{Server, free_address},
    scripts,
};

/// Chhoto URL warns of shorter keys, but only in its log.
const KEY: &str = "Bench-0123456789-bench-0123456789-Bench-0123456789-bench-0123456789";

/// A running Chhoto URL with a database of its own.
#[derive(Debug)]
pub(crate) struct Chhoto(pub(crate) Server);

impl Chhoto {
    /// Starts it as its documentation recommends, with a write-ahead log and durable
    /// transactions, on the CPU of servers. It starts a worker for each CPU that it may use, so
    /// one.
    pub(crate) fn start(program: &Path, folder: &Path, cpus: Cpus) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let address = free_address()?;
        let mut command = cpus.server(program);
        // It looks for pages to serve in its working folder.
        command.current_dir(folder);
        let database = folder.join("urls.sqlite");
        for (name, value) in [
            ("DB_URL", database.to_str().context("a path in UTF-8")?),
            ("LISTEN_ADDRESS", "127.0.0.1"),
            ("LISTEN_PORT", &address.port().to_string()),
            ("PASSWORD", KEY),
            ("API_KEY", KEY),
            ("DISABLE_FRONTEND", "True"),
            ("SLUG_STYLE", "UID"),
            ("SLUG_LENGTH", "10"),
            ("SQLITE_USE_WAL_MODE", "True"),
        ] {
            command.env(format!("CHHOTO_{name}"), value);
            // Older releases use shorter names.
            let old = match name {
                "LISTEN_PORT" => "port".to_owned(),
                "SQLITE_USE_WAL_MODE" => "use_wal_mode".to_owned(),
                name => name.to_ascii_lowercase(),
            };
            command.env(old, value);
        }
        Ok(Self(
            Server::start(&mut command, address).context("Chhoto URL")?,
        ))
    }

    /// Creates the first links of [`export`].
    pub(crate) fn create(&self, links: u32) -> Result<()> {
        for i in 0..links {
            let link = json!({"shortlink": export::slug(i), "longlink": export::destination(i)});
            ureq::post(self.new_link())
                .header("x-api-key", KEY)
                .send_json(&link)
                .context("Chhoto URL was asked for a link")?;
        }
        Ok(())
    }

    /// The address for new links.
    pub(crate) fn new_link(&self) -> String {
        format!("{}/api/new", self.0.origin())
    }

    /// Lua that creates a link with each request.
    pub(crate) fn creation(start: u32) -> String {
        let body = r#"{"shortlink":"","longlink":"https://example.com/@"}"#;
        scripts::post_numbered(body, &[("x-api-key", KEY)], start)
    }
}
