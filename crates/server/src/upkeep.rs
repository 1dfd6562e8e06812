//! Removes what is no longer kept in the background.

use std::{error::Error, future::Future, time::Duration};

use slugline_domain::ports::StoreError;
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
                let cause = error.source().map(ToString::to_string);
                tracing::warn!(
                    "{error}: {}; {what} stay until the next attempt, in {} minutes",
                    cause.unwrap_or_default(),
                    RETRY.as_secs() / 60
                );
                RETRY
            }
        };
        sleep(pause).await;
    }
}
