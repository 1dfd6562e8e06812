//! Removes old lines of the audit trail, and old answers to requests, in the background.

use std::{future::Future, time::Duration};

use slugline_application::{AuditService, Repeats};
use slugline_domain::ports::StoreError;
use tokio::time::sleep;

/// The pause between two pieces, in which other changes come first.
const PAUSE: Duration = Duration::from_millis(100);

/// The pause after the last old line is gone.
const REST: Duration = Duration::from_hours(1);

/// The pause after a failure.
const RETRY: Duration = Duration::from_mins(10);

/// Removes old lines of the audit trail, and answers to requests that are forgotten, whenever
/// there are some. Never returns.
pub(crate) async fn remove_old_lines(audit: AuditService, repeats: Repeats) {
    let lines = in_pieces("lines", || {
        let audit = audit.clone();
        async move { audit.remove_old().await }
    });
    let answers = in_pieces("answers to requests", || {
        let repeats = repeats.clone();
        async move { repeats.remove_old().await }
    });
    tokio::join!(lines, answers);
}

async fn in_pieces<F>(what: &'static str, remove: impl Fn() -> F)
where
    F: Future<Output = Result<bool, StoreError>>,
{
    loop {
        sleep(match remove().await {
            Ok(true) => PAUSE,
            Ok(false) => REST,
            Err(error) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                tracing::warn!(
                    "{error}: {}; old {what} stay until the next attempt, in {} minutes",
                    cause.unwrap_or_default(),
                    RETRY.as_secs() / 60
                );
                RETRY
            }
        })
        .await;
    }
}
