//! Detects a store that does not answer.

use std::{
    future::Future,
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use slugline_domain::{
    UnixMillis,
    ports::{Clock, StoreError},
};
use tokio::time::timeout;

use crate::error::Error;

/// Tracks if the store is silent, so that not every visitor waits for it.
///
/// Only silence counts here. A store that answers with an error is quick, and the error
/// may be about one link.
#[derive(Debug, Default)]
pub(super) struct Outage {
    /// Milliseconds since 1970 until which no request goes to the store; 0 while the
    /// store answers.
    silent_until: AtomicI64,
}

impl Outage {
    /// The time between a failure and the next request to the store.
    pub(super) const RETRY: Duration = Duration::from_secs(1);

    /// Sends a request to the store, unless the store was silent a moment ago. A request that
    /// takes longer than `limit` finds it silent.
    pub(super) async fn ask<T>(
        &self,
        question: impl Future<Output = Result<T, Error>>,
        clock: &dyn Clock,
        limit: Duration,
    ) -> Result<T, Error> {
        if !self.may_ask(clock.now(), limit) {
            return Err(silent());
        }
        let Ok(answer) = timeout(limit, question).await else {
            let until = clock.now().later(Self::RETRY).get();
            self.silent_until.store(until, Ordering::Relaxed);
            return Err(silent());
        };
        self.end();
        answer
    }

    /// The store has just answered, so that the next caller may ask.
    pub(super) fn end(&self) {
        if self.silent_until.load(Ordering::Relaxed) != 0 {
            self.silent_until.store(0, Ordering::Relaxed);
        }
    }

    /// Returns whether this caller may ask. Once the silence may be over, one caller
    /// asks, and the others do not wait.
    fn may_ask(&self, now: UnixMillis, limit: Duration) -> bool {
        let silent_until = self.silent_until.load(Ordering::Relaxed);
        if silent_until == 0 {
            return true;
        }
        let meanwhile = now.later(limit + Self::RETRY).get();
        now.get() >= silent_until
            && self
                .silent_until
                .compare_exchange(
                    silent_until,
                    meanwhile,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok()
    }
}

/// The error for requests of a slug right after it could not be read.
pub(super) fn failed_a_moment_ago() -> Error {
    not_found("the last attempt failed less than a second ago")
}

fn silent() -> Error {
    not_found("the database does not answer")
}

fn not_found(reason: &'static str) -> Error {
    Error::Store(StoreError::Failed {
        action: "find a link",
        source: reason.into(),
    })
}
