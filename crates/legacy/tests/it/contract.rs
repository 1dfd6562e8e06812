//! The contract suite of old stores, on Redis and on bulk files.

use std::fs;

use async_trait::async_trait;
use serde_json::{Value, json};
use slugline_domain::{
    OldCursor, OldLink, OldPage, Slug,
    ports::{OldStore, OldStoreError},
};
use slugline_legacy::{BulkFile, RedisStore};
use slugline_testkit::old_store_contract;
use tempfile::TempDir;

use crate::redis_server::RedisServer;

/// A store and the things it needs, which end when it is dropped.
#[derive(Debug)]
struct Standing<S, G>(S, G);

#[async_trait]
impl<S: OldStore, G: std::fmt::Debug + Send + Sync> OldStore for Standing<S, G> {
    async fn page(&self, from: Option<&OldCursor>) -> Result<OldPage, OldStoreError> {
        self.0.page(from).await
    }
    async fn find(&self, slug: &Slug) -> Result<Option<OldLink>, OldStoreError> {
        self.0.find(slug).await
    }
    async fn ping(&self) -> Result<(), OldStoreError> {
        self.0.ping().await
    }
}

#[tokio::test]
async fn redis_keeps_the_contract() {
    old_store_contract::run_suite(async |entries| -> Standing<RedisStore, RedisServer> {
        let server = RedisServer::start();
        server.set(&entries).await;
        Standing(server.store(), server)
    })
    .await;
}

#[tokio::test]
async fn bulk_files_keep_the_contract() {
    old_store_contract::run_suite(async |entries| -> Standing<BulkFile, TempDir> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("links.json");
        let entry = |(key, value): (String, String)| json!({"key": key, "value": value});
        let entries: Vec<Value> = entries.into_iter().map(entry).collect();
        fs::write(&path, Value::Array(entries).to_string()).unwrap();
        Standing(BulkFile::new(&path), folder)
    })
    .await;
}
