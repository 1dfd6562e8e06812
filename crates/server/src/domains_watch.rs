//! Follows changes of domains by other nodes, and by commands of the operator.

use slugline_application::Domains;

/// Never returns.
pub(crate) async fn keep_up(domains: Domains) {
    domains
        .keep_up(|read| match read {
            Ok(()) => tracing::info!("the domains can be read again"),
            Err(error) => {
                tracing::warn!(%error, "the domains cannot be read; they stay as they were");
            }
        })
        .await;
}
