//! Delivers one message.

use std::{sync::Arc, time::Duration};

use hyper::{
    HeaderMap, Method,
    header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use jiff::fmt::rfc2822;
use slugline_domain::{
    ports::{Clock, Random},
    with_causes,
};
use tokio::{sync::Semaphore, time::sleep};

use super::{
    event::Event,
    options::{RetryPolicy, WebhookOptions},
    tally::Tally,
};
use crate::{Client, Error, Outgoing, Request, request::OWN_USER_AGENT};

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// Delivers messages.
#[derive(Debug)]
pub(super) struct Courier {
    options: WebhookOptions,
    client: Client,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    tally: Arc<Tally>,
    lines: Semaphore,
}

/// The outcome of one attempt.
enum Attempt {
    Delivered,
    /// The receiver asks never to be called again.
    Gone,
    /// Another attempt would fail in the same way.
    Refused(String),
    /// A later attempt may succeed.
    Failed {
        reason: String,
        asked_pause: Option<Duration>,
    },
}

impl Courier {
    pub(super) fn new(
        options: WebhookOptions,
        client: Client,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        tally: Arc<Tally>,
    ) -> Self {
        let lines = Semaphore::new(options.retries.connections);
        Self {
            options,
            client,
            clock,
            random,
            tally,
            lines,
        }
    }

    /// Retries until the receiver accepts the message or no retry can help.
    pub(super) async fn deliver(&self, event: Event) {
        let RetryPolicy { attempts, .. } = self.options.retries;
        let mut made = 0;
        while !self.tally.receiver_is_gone() {
            let outcome = {
                let _line = self.lines.acquire().await;
                self.attempt(&event).await
            };
            made += 1;
            match outcome {
                Attempt::Delivered => return self.tally.deliver(),
                Attempt::Gone => self.tally.receiver_went(),
                Attempt::Refused(reason) => return self.tally.fail(reason),
                Attempt::Failed { reason, .. } if made >= attempts => {
                    return self.tally.fail(reason);
                }
                Attempt::Failed { asked_pause, .. } => sleep(self.pause(made, asked_pause)).await,
            }
        }
    }

    async fn attempt(&self, event: &Event) -> Attempt {
        let request = Request {
            method: Method::POST,
            headers: self.headers(event),
            body: Outgoing::whole(event.body.clone()),
            ..Request::get(self.options.url.clone(), self.options.retries.timeout)
        };
        let answer = match self.client.begin(request).await {
            Ok(answer) => answer,
            Err(error) => {
                let reason = with_causes(&error);
                let for_good = matches!(error, Error::Refused(_) | Error::Unwritable(_));
                return if for_good {
                    Attempt::Refused(reason)
                } else {
                    Attempt::Failed {
                        reason,
                        asked_pause: None,
                    }
                };
            }
        };
        let reason = format!("status {}", answer.status);
        match answer.status {
            200..=299 => Attempt::Delivered,
            410 => Attempt::Gone,
            408 | 425 | 429 | 500..=599 => Attempt::Failed {
                reason,
                asked_pause: self.asked_pause(&answer.headers),
            },
            _ => Attempt::Refused(reason),
        }
    }

    fn headers(&self, event: &Event) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_str(text).expect("visible ASCII");
        // The time of this attempt: receivers refuse old ones, as a protection
        // against replays.
        let timestamp = self.clock.now().second().get();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(USER_AGENT, OWN_USER_AGENT);
        headers.insert(ID, value(&event.id));
        headers.insert(TIMESTAMP, timestamp.into());
        if let Some(secret) = &self.options.secret {
            let signature = secret.sign(&event.id, timestamp, &event.body);
            headers.insert(SIGNATURE, value(&signature));
        }
        headers
    }

    /// A random pause between half and all of a time that doubles with each
    /// attempt, so that messages that failed together are not retried together.
    fn pause(&self, made: u32, asked: Option<Duration>) -> Duration {
        let RetryPolicy {
            first_pause,
            longest_pause,
            ..
        } = self.options.retries;
        let doubled = first_pause.saturating_mul(2_u32.saturating_pow(made.saturating_sub(1)));
        let mut byte = [0];
        self.random.fill(&mut byte);
        let own = doubled.min(longest_pause) / 510 * (255 + u32::from(byte[0]));
        own.max(asked.unwrap_or_default()).min(longest_pause)
    }

    /// Parses `Retry-After`: seconds or a date (RFC 9110 §10.2.3).
    fn asked_pause(&self, headers: &HeaderMap) -> Option<Duration> {
        let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
        if let Ok(seconds) = text.parse() {
            return Some(Duration::from_secs(seconds));
        }
        let date = rfc2822::parse(text).ok()?.timestamp();
        let millis = date.as_millisecond() - self.clock.now().get();
        Some(Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
    }
}
