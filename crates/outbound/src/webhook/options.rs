//! The settings of the webhook.

use std::time::Duration;

use url::Url;

use super::secret::WebhookSecret;

/// The receiver and the policy of retries.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    /// The receiver.
    pub url: Url,
    /// The secret that signs messages, if they are signed.
    pub secret: Option<WebhookSecret>,
    /// The limits of queues, attempts and times.
    pub retries: RetryPolicy,
}

/// Limits of queues, attempts and times.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// The most messages in the queue; further ones are dropped.
    pub queue: usize,
    /// The most messages that are being delivered or wait for their next
    /// attempt.
    pub pending: usize,
    /// The most connections at a time.
    pub connections: usize,
    /// The most attempts at one message.
    pub attempts: u32,
    /// The time limit of one attempt.
    pub timeout: Duration,
    /// Roughly the pause before the second attempt; it doubles before each
    /// further one.
    pub first_pause: Duration,
    /// The longest pause, even if the receiver asks for a longer one.
    pub longest_pause: Duration,
    /// The shortest time between two reports of losses in the log output.
    pub report_every: Duration,
    /// The time for delivering the rest when the service stops.
    pub grace: Duration,
}

impl Default for RetryPolicy {
    /// The pauses let a receiver restart, which takes half a minute, without
    /// missing a message. The timeout of ten seconds is Sink's. A waiting
    /// message takes about half a kilobyte.
    fn default() -> Self {
        Self {
            queue: 4_096,
            pending: 1_024,
            connections: 8,
            attempts: 6,
            timeout: Duration::from_secs(10),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_mins(1),
            report_every: Duration::from_mins(1),
            grace: Duration::from_secs(5),
        }
    }
}
