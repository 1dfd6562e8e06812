//! Limits for connections of clients.

use std::time::Duration;

use super::source::{SettingError, Sources};

/// The number of connections, and the timeouts for slow clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// The time for the head of a request.
    pub head_timeout: Duration,
    /// The time for the body of a request; arriving bytes give time back.
    pub body_timeout: Duration,
    /// The time to take an answer; bytes taken give time back.
    pub answer_timeout: Duration,
    /// The most connections of one client.
    pub per_client: usize,
    /// The most connections of all clients; by default, as many as the open files allow.
    pub in_all: Option<usize>,
}

impl ConnectionLimits {
    pub(super) fn resolve(sources: &Sources) -> Result<Self, SettingError> {
        let seconds = |name| sources.number(name, 1..=3600).map(Duration::from_secs);
        let number = |text: &str| {
            let number = text.parse().ok();
            let number = number.filter(|number| (1..=1_000_000).contains(number));
            number.ok_or("expected a whole number from 1 to 1000000")
        };
        Ok(Self {
            head_timeout: seconds("SLUGLINE_HEAD_TIMEOUT")?,
            body_timeout: seconds("SLUGLINE_BODY_TIMEOUT")?,
            answer_timeout: seconds("SLUGLINE_ANSWER_TIMEOUT")?,
            per_client: sources.parsed("SLUGLINE_CONNECTIONS_PER_CLIENT", number)?,
            in_all: sources.optional("SLUGLINE_CONNECTIONS", number)?,
        })
    }
}
