//! The contract suites of the link store, of domains, of the migration's progress and of
//! tokens, on SQLite and on PostgreSQL.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use slugline_domain::{
    Domain,
    ports::{AuditTrail, DomainStore},
};
use slugline_storage::{DatabaseUrl, SqlLinkStore};
use slugline_testkit::{
    NOTE, assistant_store_contract, audit_trail_contract, domain_store_contract,
    link_history_contract, link_store_contract, migration_store_contract, seconds,
    secret_store_contract, token_store_contract, watch_store_contract,
};

use crate::on_postgres;

#[tokio::test]
async fn sqlite_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    keeps_the_contract(async |number| {
        let file = folder.path().join(format!("links-{number}.db"));
        let url: DatabaseUrl = format!("sqlite://{}", file.display()).parse().unwrap();
        SqlLinkStore::open(&url).await.expect("open")
    })
    .await;
}

/// Each store gets its own database on the server that the test command starts.
#[tokio::test]
async fn postgres_keeps_the_contract() {
    let new = async |number| on_postgres::store(&format!("contract_{number}")).await.0;
    keeps_the_contract(new).await;
}

/// Runs the suites on stores that are numbered.
#[expect(clippy::future_not_send, reason = "tests run it on one thread")]
async fn keeps_the_contract(numbered_store: impl AsyncFn(u32) -> SqlLinkStore) {
    let made = AtomicU32::new(0);
    let new = async || numbered_store(made.fetch_add(1, Ordering::Relaxed)).await;
    link_store_contract::run_suite(async || with_hosts(new().await).await).await;
    migration_store_contract::run_suite(async || {
        let store = Arc::new(new().await);
        (Arc::clone(&store), store)
    })
    .await;
    token_store_contract::run_suite(async || new().await.tokens()).await;
    domain_store_contract::run_suite(async || {
        let store = Arc::new(new().await);
        (store.domains(), store)
    })
    .await;
    link_history_contract::run_suite(async |keeping| {
        let store = Arc::new(new().await.keeping(keeping));
        (store.domains(), store)
    })
    .await;
    assistant_store_contract::run_suite(async || {
        let store = new().await;
        (store.assistants(), store.tokens())
    })
    .await;
    watch_store_contract::run_suite(async || new().await).await;
    let store = new().await;
    secret_store_contract::run_suite(&store).await;
    audit_trail_contract::changes_of_tokens_leave_lines(&store.tokens(), &store).await;
}

async fn with_hosts(store: SqlLinkStore) -> SqlLinkStore {
    for host in link_store_contract::NAMED_HOSTS {
        let domain = Domain::new(host.parse().expect("a host"));
        let named = store.domains().insert(&domain, &NOTE).await;
        assert!(named.expect("insert"));
    }
    // The suite counts the lines of its own changes.
    let forgotten = store.remove_before(seconds(1).start(), 100);
    forgotten.await.expect("remove");
    store
}
