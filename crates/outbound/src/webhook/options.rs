//! The settings of the webhook.

use std::time::Duration;

use url::Url;

use super::secret::WebhookSecret;

/// The receiver and the policy of retries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WebhookOptions {
    /// The receiver.
    pub url: Url,
    /// The secret that signs messages, if they are signed.
    pub secret: Option<WebhookSecret>,
    /// The limits of queues, attempts and times.
    pub retries: RetryPolicy,
}

impl WebhookOptions {
    /// Sends unsigned events to this URL.
    pub fn new(url: Url) -> Self {
        Self {
            url,
            secret: None,
            retries: RetryPolicy::default(),
        }
    }

    /// Sets [`secret`](Self#structfield.secret).
    #[must_use]
    pub fn with_secret(mut self, secret: impl Into<Option<WebhookSecret>>) -> Self {
        self.secret = secret.into();
        self
    }

    /// Sets [`retries`](Self#structfield.retries).
    #[must_use]
    pub fn with_retries(mut self, retries: RetryPolicy) -> Self {
        self.retries = retries;
        self
    }
}

/// Limits of queues, attempts and times.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
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

impl RetryPolicy {
    /// Sets [`queue`](Self#structfield.queue).
    #[must_use]
    pub fn with_queue(mut self, queue: usize) -> Self {
        self.queue = queue;
        self
    }

    /// Sets [`pending`](Self#structfield.pending).
    #[must_use]
    pub fn with_pending(mut self, pending: usize) -> Self {
        self.pending = pending;
        self
    }

    /// Sets [`connections`](Self#structfield.connections).
    #[must_use]
    pub fn with_connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Sets [`attempts`](Self#structfield.attempts).
    #[must_use]
    pub fn with_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Sets [`timeout`](Self#structfield.timeout).
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets [`first_pause`](Self#structfield.first_pause).
    #[must_use]
    pub fn with_first_pause(mut self, first_pause: Duration) -> Self {
        self.first_pause = first_pause;
        self
    }

    /// Sets [`longest_pause`](Self#structfield.longest_pause).
    #[must_use]
    pub fn with_longest_pause(mut self, longest_pause: Duration) -> Self {
        self.longest_pause = longest_pause;
        self
    }

    /// Sets [`report_every`](Self#structfield.report_every).
    #[must_use]
    pub fn with_report_every(mut self, report_every: Duration) -> Self {
        self.report_every = report_every;
        self
    }

    /// Sets [`grace`](Self#structfield.grace).
    #[must_use]
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }
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
