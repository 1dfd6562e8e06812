//! Removes old lines of the audit trail in the background.

use std::time::Duration;

use slugline_application::AuditService;
use tokio::time::sleep;

/// The pause between two pieces, in which other changes come first.
const PAUSE: Duration = Duration::from_millis(100);

/// The pause after the last old line is gone.
const REST: Duration = Duration::from_hours(1);

/// The pause after a failure.
const RETRY: Duration = Duration::from_mins(10);

/// Removes old lines whenever there are some. Never returns.
pub(crate) async fn remove_old_lines(audit: AuditService) {
    loop {
        sleep(match audit.remove_old().await {
            Ok(true) => PAUSE,
            Ok(false) => REST,
            Err(error) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                tracing::warn!(
                    "{error}: {}; old lines stay until the next attempt, in {} minutes",
                    cause.unwrap_or_default(),
                    RETRY.as_secs() / 60
                );
                RETRY
            }
        })
        .await;
    }
}
