//! Databases in files.

use slugline_storage::{DatabaseUrl, SqlLinkStore};
use tempfile::TempDir;

/// The address of a file that is not there yet, in a folder that lives as long as the test.
pub(crate) fn file() -> (TempDir, DatabaseUrl) {
    let folder = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    (folder, url)
}

/// Makes a database with the schema, and opens it.
pub(crate) async fn store() -> (TempDir, SqlLinkStore) {
    let (folder, url) = file();
    (folder, SqlLinkStore::open(&url).await.unwrap())
}
