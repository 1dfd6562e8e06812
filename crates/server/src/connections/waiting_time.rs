//! The time that a client may keep the service waiting.

use std::{
    future::Future,
    pin::Pin,
    task::Context,
    time::{Duration, Instant},
};

use tokio::time::{Sleep, sleep};

/// The bytes that give one second back. A client that steadily moves at least this many bytes a
/// second is never cut off; a slower one is, eventually.
const BYTES_PER_SECOND: u32 = 1 << 10;

/// Time that a client may keep the service waiting. Waiting uses it up, and bytes give it back,
/// up to the initial value. It has a timer only while the service waits.
pub(super) struct WaitingTime {
    limit: Duration,
    left: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl WaitingTime {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            limit,
            left: limit,
            waiting: None,
        }
    }

    /// Polled while the service waits for the client. Returns true if the time is up, else
    /// wakes the task when it is.
    pub(super) fn is_over(&mut self, context: &mut Context<'_>) -> bool {
        let begin = || (Instant::now(), Box::pin(sleep(self.left)));
        let (_, timer) = self.waiting.get_or_insert_with(begin);
        timer.as_mut().poll(context).is_ready()
    }

    /// Gives time back for bytes that the client sent or took.
    pub(super) fn moved(&mut self, bytes: usize) {
        if let Some((since, _)) = self.waiting.take() {
            self.left = self.left.saturating_sub(since.elapsed());
        }
        if self.left < self.limit {
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            let earned = Duration::from_secs(1) * bytes / BYTES_PER_SECOND;
            self.left = self.left.saturating_add(earned).min(self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, task::Poll};

    use tokio::time;

    use super::*;

    /// Waits for the end of the waiting time, but no longer than `wait`.
    async fn ends_within(waiting_time: &mut WaitingTime, wait: Duration) -> bool {
        let end = poll_fn(|context| {
            if waiting_time.is_over(context) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        time::timeout(wait, end).await.is_ok()
    }

    const LONG: Duration = Duration::from_mins(1);

    #[tokio::test]
    async fn waiting_uses_it_up() {
        let mut waiting_time = WaitingTime::new(Duration::from_millis(20));
        assert!(ends_within(&mut waiting_time, LONG).await);
    }

    #[tokio::test]
    async fn bytes_give_back_no_more_than_was_used() {
        let mut waiting_time = WaitingTime::new(Duration::from_secs(10));
        waiting_time.moved(1 << 30);
        assert_eq!(waiting_time.left, waiting_time.limit);
        assert!(!ends_within(&mut waiting_time, Duration::from_millis(20)).await);
        waiting_time.moved(0);
        assert!(waiting_time.left < waiting_time.limit);
        waiting_time.moved(1 << 30);
        assert_eq!(waiting_time.left, waiting_time.limit);
    }

    #[tokio::test]
    async fn single_bytes_do_not_give_it_back() {
        let mut waiting_time = WaitingTime::new(Duration::from_millis(50));
        let drip = async {
            while !ends_within(&mut waiting_time, Duration::from_millis(1)).await {
                waiting_time.moved(1);
            }
        };
        time::timeout(LONG, drip).await.expect("it ends");
    }
}
