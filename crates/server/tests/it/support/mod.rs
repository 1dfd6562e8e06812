//! The parts that tests share: the service, and the programs and servers around it.

pub(crate) mod closed_port; // a port that refuses connections
pub(crate) mod driver; // the wire of WebDriver
pub(crate) mod mariadb; // a MariaDB server of one test
pub(crate) mod old_redis; // a Redis as an older instance left it
pub(crate) mod outsider; // a server outside of Slugline
pub(crate) mod own_database; // a PostgreSQL database of one test
#[cfg(target_os = "linux")] // whose processes the tests stop
pub(crate) mod own_postgres; // a PostgreSQL server of one test
pub(crate) mod programs; // programs of others that the tests drive
pub(crate) mod relay; // a way to a server that can be cut
pub(crate) mod server; // starts the binary on a free port and talks HTTP to it
pub(crate) mod sqlite; // a file of the service, changed as a stranger would
#[cfg(unix)]
pub(crate) mod terminal; // a terminal that a program writes to

use std::path::{Path, PathBuf};

/// A file or folder of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}
