//! The thread behind the queue: it gathers the visits that are kept into
//! batches and has the engine store them.

use std::{
    error::Error as StdError,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    },
    thread,
    time::{Duration, Instant},
};

use slugline_domain::Visit;
use tokio::sync::oneshot;

use crate::{
    RecorderOptions,
    engine::{Appended, Appender, EngineError},
    row::Kept,
    sampling::{Pressure, Sampler},
    tally::Tally,
};

/// How often the queue is looked into while a batch is gathered. Waiting on
/// the queue instead would make every redirect wake this thread, a system call
/// each. A queue of the default size holds what comes in during one tick at
/// three million visits per second.
const TICK: Duration = Duration::from_millis(20);

/// How long nobody has to come before the log is looked after, and how long
/// between the steps of that.
const IDLE: Duration = Duration::from_mins(1);
const STEP_PAUSE: Duration = Duration::from_millis(20);

/// Messages after which the time is looked at when the queue never empties.
const MESSAGES_PER_LOOK: usize = 256;

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
    sampler: Sampler,
    appender: Appender,
    options: RecorderOptions,
    tally: Arc<Tally>,
    batch: Vec<Kept>,
    /// Set at the first failure after the recorder was closed.
    gives_up_at: Option<Instant>,
    gave_up: bool,
    dropped_logged: u64,
}

impl Writer {
    pub(crate) fn new(
        queue: Receiver<Message>,
        sampler: Sampler,
        appender: Appender,
        options: RecorderOptions,
        tally: Arc<Tally>,
    ) -> Self {
        Self {
            queue,
            sampler,
            appender,
            options,
            tally,
            batch: Vec::new(),
            gives_up_at: None,
            gave_up: false,
            dropped_logged: 0,
        }
    }

    /// Works until the recorder is closed and the queue is empty.
    pub(crate) fn run(mut self) {
        let mut busy = self.appender.maintain();
        loop {
            let pause = if busy { STEP_PAUSE } else { IDLE };
            let first = match self.queue.recv_timeout(pause) {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) => {
                    busy = self.appender.maintain();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let barrier = self.gather(first);
            let stored = self.store();
            self.log_dropped();
            if let (Some(barrier), true) = (barrier, stored) {
                // Who asked may have lost interest.
                let _ = barrier.send(());
            }
            busy = self.appender.maintain();
        }
    }

    /// Fills the batch until it is large or old enough, or somebody waits.
    fn gather(&mut self, first: Message) -> Option<oneshot::Sender<()>> {
        let due = Instant::now() + self.options.batch_age;
        let mut next = Ok(first);
        let mut messages = 0;
        loop {
            match next {
                Ok(message) => {
                    self.tally.leave_queue();
                    match message {
                        Message::Barrier(barrier) => return Some(barrier),
                        Message::Visit(visit) => self.take(visit),
                    }
                    messages += 1;
                    let look = messages % MESSAGES_PER_LOOK == 0;
                    if self.batch.len() >= self.options.batch_rows || look && Instant::now() >= due
                    {
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

    /// Decides whether a visit becomes a row of the batch, before anything is
    /// derived from it. A bot that is left out is not sampled either, so it
    /// takes no room from people.
    fn take(&mut self, visit: Visit) {
        if self.options.skip_bots && self.appender.is_from_bot(&visit) {
            return;
        }
        let (at, client) = (visit.at, visit.client);
        let Some(visitor) = self.insist(1, |appender, _| appender.identify(at, client)) else {
            return;
        };
        let pressure = Pressure::of(self.tally.waiting(), self.options.queue);
        let pressure = pressure.max(self.appender.pressure());
        let sampled = self.sampler.decide(at, &visit.link.id, visitor, pressure);
        self.batch.extend(sampled.map(|sampled| Kept {
            visit,
            visitor: visitor.hash,
            sampled,
        }));
    }

    /// Stores the batch, and says whether that is over and done with.
    fn store(&mut self) -> bool {
        let appended = self.insist(self.batch.len(), Appender::append);
        if appended == Some(Appended::NoRoom) {
            let intervals = self.batch.iter().map(|kept| kept.sampled.interval.get());
            self.tally.add_dropped(intervals.map(u64::from).sum());
        }
        self.batch.clear();
        appended.is_some()
    }

    /// Has the engine do something, however often that takes. Whatever the
    /// error, visits are kept: a disk becomes free, a lock is released, and
    /// nothing in a visit can make a row unacceptable. `None` after a shutdown
    /// only, when patience is over and so many visits are lost.
    fn insist<T>(
        &mut self,
        visits: usize,
        act: impl Fn(&mut Appender, &[Kept]) -> Result<T, EngineError>,
    ) -> Option<T> {
        let mut pause = FIRST_PAUSE;
        let mut failed = false;
        while !self.gave_up {
            let error = match act(&mut self.appender, &self.batch) {
                Ok(done) => {
                    if failed {
                        tracing::info!("the access log takes visits again");
                    }
                    return Some(done);
                }
                Err(error) => error,
            };
            let error: &(dyn StdError + 'static) = &error;
            if self.out_of_patience() {
                tracing::error!(error, "visits are lost: the access log takes none");
                self.gave_up = true;
                break;
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
        self.tally
            .add_dropped(u64::try_from(visits).unwrap_or(u64::MAX));
        None
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
