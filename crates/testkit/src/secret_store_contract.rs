//! The contract of every [`SecretStore`].

use slugline_domain::ports::SecretStore;

use crate::join_all::join_all;

/// Runs every clause on a store without secrets.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite(store: &impl SecretStore) {
    let proposals = (1..=8).map(|byte| store.agree("first", [byte; 32]));
    let proposals = proposals.collect();
    let agreed: Vec<[u8; 32]> = join_all(proposals)
        .await
        .into_iter()
        .map(|agreed| agreed.expect("the store answers"))
        .collect();
    let secret = agreed[0];
    assert!(
        secret[0] >= 1 && secret == [secret[0]; 32],
        "it was proposed"
    );
    assert_eq!(agreed, [secret; 8], "callers agree on one secret");
    let late = store.agree("first", [9; 32]).await;
    assert_eq!(late.expect("an answer"), secret, "a secret stays");
    let other = store.agree("second", [9; 32]).await;
    assert_eq!(other.expect("an answer"), [9; 32], "each name has its own");
}
