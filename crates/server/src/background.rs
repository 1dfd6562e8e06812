//! Work in the background: removing what is no longer kept, asking destinations, following changes of
//! domains by other nodes.

use std::{future::Future, time::Duration};

use slugline_application::{DestinationWatch, Domains};
use slugline_domain::{ports::StoreError, with_causes};
use tokio::time::sleep;

/// The pause between two pieces, in which other changes come first.
const PAUSE: Duration = Duration::from_millis(100);

/// The pause after the last piece is gone.
const REST: Duration = Duration::from_hours(1);

/// The pause after a failure.
const RETRY: Duration = Duration::from_mins(10);

/// Removes one piece after another, whenever there are some. `remove` returns whether more may be
/// left; `what` names what stays after a failure. Never returns.
pub(crate) async fn keep_removing<F>(what: &'static str, remove: impl Fn() -> F)
where
    F: Future<Output = Result<bool, StoreError>>,
{
    loop {
        let pause = match remove().await {
            Ok(true) => PAUSE,
            Ok(false) => REST,
            Err(error) => {
                tracing::warn!(
                    "{}; {what} stay until the next attempt, in {} minutes",
                    with_causes(&error),
                    RETRY.as_secs() / 60
                );
                RETRY
            }
        };
        sleep(pause).await;
    }
}

/// Asks destinations, if a setting says so. Dropping the future stops the requests.
pub(crate) async fn watch_destinations(watch: Option<DestinationWatch>) {
    let Some(watch) = watch else { return };
    watch
        .run(|answer| match answer {
            Ok(()) => tracing::info!("destinations are watched again"),
            Err(error) => {
                tracing::warn!(%error, "no destination is asked while the links database fails");
            }
        })
        .await;
}

/// Follows changes of domains by other nodes, and by commands of the operator. Never returns.
pub(crate) async fn follow_domains(domains: Domains) {
    domains
        .keep_up(|read| match read {
            Ok(()) => tracing::info!("the domains can be read again"),
            Err(error) => {
                tracing::warn!(%error, "the domains cannot be read; they stay as they were");
            }
        })
        .await;
}
