//! The thread behind the queue: it gathers visits into batches and has the
//! engine store them.

use std::{
    error::Error as StdError,
    sync::{
        Arc,
        mpsc::{Receiver, TryRecvError},
    },
    thread,
    time::{Duration, Instant},
};

use slugline_domain::Visit;
use tokio::sync::oneshot;

use crate::{RecorderOptions, engine::Appender, tally::Tally};

/// How often the queue is looked into while a batch is gathered. Waiting on
/// the queue instead would make every redirect wake this thread, a system call
/// each. A queue of the default size holds what comes in during one tick at
/// three million visits per second.
const TICK: Duration = Duration::from_millis(20);

/// Pauses between attempts while the disk refuses: the first, doubled up to
/// the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What waits in the queue.
#[derive(Debug)]
pub(crate) enum Message {
    Visit(Visit),
    /// Somebody waits until everything before this is durable.
    Barrier(oneshot::Sender<()>),
}

#[derive(Debug)]
pub(crate) struct Writer {
    queue: Receiver<Message>,
    appender: Appender,
    options: RecorderOptions,
    tally: Arc<Tally>,
    batch: Vec<Visit>,
    /// Set at the first failure after the recorder was closed.
    gives_up_at: Option<Instant>,
    dropped_logged: u64,
}

impl Writer {
    pub(crate) fn new(
        queue: Receiver<Message>,
        appender: Appender,
        options: RecorderOptions,
        tally: Arc<Tally>,
    ) -> Self {
        Self {
            queue,
            appender,
            options,
            tally,
            batch: Vec::new(),
            gives_up_at: None,
            dropped_logged: 0,
        }
    }

    /// Works until the recorder is closed and the queue is empty.
    pub(crate) fn run(mut self) {
        while let Ok(first) = self.queue.recv() {
            let barrier = self.gather(first);
            let stored = self.store();
            self.log_dropped();
            if let (Some(barrier), true) = (barrier, stored) {
                // Who asked may have lost interest.
                let _ = barrier.send(());
            }
            self.appender.maintain();
        }
    }

    /// Fills the batch until it is large or old enough, or somebody waits.
    fn gather(&mut self, first: Message) -> Option<oneshot::Sender<()>> {
        let due = Instant::now() + self.options.batch_age;
        let mut next = Ok(first);
        loop {
            match next {
                Ok(Message::Barrier(barrier)) => return Some(barrier),
                Ok(Message::Visit(visit)) => {
                    self.batch.push(visit);
                    if self.batch.len() >= self.options.batch_rows {
                        return None;
                    }
                }
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => {
                    let left = due.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return None;
                    }
                    thread::park_timeout(left.min(TICK));
                }
            }
            next = self.queue.try_recv();
        }
    }

    /// Stores the batch, however often that takes, and says whether it is
    /// stored. Whatever the error, the batch is kept: a disk becomes free, a
    /// lock is released, and nothing in a visit can make a row unacceptable.
    fn store(&mut self) -> bool {
        let mut pause = FIRST_PAUSE;
        let mut failed = false;
        while let Err(error) = self.appender.append(&self.batch) {
            let visits = self.batch.len();
            let error: &(dyn StdError + 'static) = &error;
            if self.out_of_patience() {
                tracing::error!(error, visits, "visits are lost: the access log takes none");
                self.tally
                    .add_dropped(u64::try_from(visits).unwrap_or(u64::MAX));
                self.batch.clear();
                return false;
            }
            if !failed {
                tracing::warn!(
                    error,
                    visits,
                    "the access log takes no visits, will try again"
                );
                failed = true;
            }
            thread::park_timeout(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        if failed {
            tracing::info!("the access log takes visits again");
        }
        self.batch.clear();
        true
    }

    fn out_of_patience(&mut self) -> bool {
        if !self.tally.closing() {
            return false;
        }
        let now = Instant::now();
        let limit = *self
            .gives_up_at
            .get_or_insert(now + self.options.shutdown_patience);
        now >= limit
    }

    /// Once per batch at most, because a full queue drops very many.
    fn log_dropped(&mut self) {
        let dropped = self.tally.dropped();
        if dropped > self.dropped_logged {
            tracing::warn!(
                visits = dropped - self.dropped_logged,
                "visits were dropped: they came in faster than the access log takes them"
            );
            self.dropped_logged = dropped;
        }
    }
}
