//! The bounded queue for visits from redirects, and its shutdown.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        mpsc::{self, Sender},
    },
    thread::{self, JoinHandle, Thread},
    time::Duration,
};

use async_trait::async_trait;
use rusqlite::Connection;
use slugline_domain::{
    Erasure, LinkId, LogTrouble, Visit,
    measure::Timings,
    ports::{VisitEraser, VisitLogError, VisitSink},
};
use thiserror::Error;
use tokio::{
    sync::{oneshot, watch},
    time::timeout,
};

use crate::{
    journal::{appender::Appender, error::OpenError, row_table::RowTable},
    options::{RecorderOptions, RecorderPorts},
    sampling::Sampler,
    tally::{Tally, Waiting},
    writer::{Ask, Message, Writer},
};

/// The end of the message "failed to …".
const ERASE: &str = "erase the visits of a link";

/// The time for the writer to mark the visits durably.
const MARK_PATIENCE: Duration = Duration::from_secs(10);

/// The time for which a caller waits until no answer contains the visits.
const ERASURE_PATIENCE: Duration = Duration::from_secs(10);

/// Accepts visits from redirects; one thread stores them.
///
/// Accepting a visit is a push into a bounded queue: no waiting, no system call while the
/// writer is gathering a batch, and an allocation for each block of some thirty visits. The
/// queue uses memory only for waiting visits. Call [`Recorder::shutdown`] at the end; dropping
/// the recorder does the same but blocks its thread.
#[derive(Debug)]
pub struct Recorder {
    /// `None` once the recorder is closed. Pushing takes the lock for reading
    /// and never waits for it: only closing takes it for writing.
    queue: RwLock<Option<Sender<Message>>>,
    /// The limits of the queue.
    room: Waiting,
    tally: Arc<Tally>,
    thread: Thread,
    handle: Mutex<Option<JoinHandle<()>>>,
    /// The writer holds the other end and drops it at its end.
    ended: watch::Receiver<()>,
}

impl Recorder {
    /// Starts the writer over an engine's rows, which are in the file at a path.
    ///
    /// # Errors
    /// The file cannot be read or written, or no thread can be started.
    #[doc(hidden)] // Engines call it; programs start an engine.
    pub fn over(
        (path, db): (&Path, Connection),
        rows: Box<dyn RowTable>,
        options: RecorderOptions,
        ports: RecorderPorts,
        tally: Arc<Tally>,
    ) -> Result<Self, OpenError> {
        let sampler = Sampler::new(options.sampling, ports.random.as_ref());
        let appender = Appender::over(db, rows, &options, ports, Arc::clone(&tally));
        let appender = appender.map_err(|source| OpenError::Sqlite {
            path: path.to_owned(),
            source,
        })?;
        let (sender, receiver) = mpsc::channel();
        let (alive, ended) = watch::channel(());
        let writer = Writer::new(receiver, sampler, appender, options, Arc::clone(&tally));
        let handle = thread::Builder::new()
            .name("access-log".into())
            .spawn(move || {
                // Declared first, so that it is dropped last, even in a panic.
                let _alive = alive;
                writer.run();
            })
            .map_err(|source| OpenError::Thread { source })?;

        Ok(Self {
            queue: RwLock::new(Some(sender)),
            room: Waiting {
                messages: options.queue.clamp(1, Waiting::MOST),
                bytes: options.queue_bytes,
            },
            tally,
            thread: handle.thread().clone(),
            handle: Mutex::new(Some(handle)),
            ended,
        })
    }

    /// The number of visits that were never stored since the start: the queue
    /// was full, the recorder was closed, or the disk refused until the
    /// shutdown gave up.
    pub fn dropped(&self) -> u64 {
        self.tally.losses.since_start()
    }

    /// Visits that this recorder has made durable. A sampled one counts once.
    pub fn stored(&self) -> u64 {
        self.tally.stored()
    }

    /// The recorder's work since its start, and the state of its queue.
    pub fn numbers(&self) -> RecorderNumbers {
        let waiting = self.tally.waiting();
        RecorderNumbers {
            waiting: waiting.messages,
            waiting_bytes: waiting.bytes,
            stored: self.tally.stored(),
            left_out: self.tally.left_out(),
            dropped: self.tally.losses.since_start(),
            appends: self.tally.appends.get(),
            troubles: self.tally.troubles.list(),
        }
    }

    /// Waits until every visit accepted before the call is durable. Queries of the embedded log
    /// then see it; queries of ClickHouse see it once it has arrived there. While the disk
    /// refuses, this keeps waiting; callers may add a timeout.
    ///
    /// # Errors
    /// The recorder is closed.
    pub async fn flush(&self) -> Result<(), RecorderClosed> {
        let (stored, durable) = oneshot::channel();
        self.ask(Ask::Flush(stored)).await?;
        durable.await.map_err(|_| RecorderClosed)
    }

    /// Puts a caller's request into the queue.
    async fn ask(&self, ask: Ask) -> Result<(), RecorderClosed> {
        // A full queue empties at the speed of commits, so trying more often than this is
        // useless.
        const PAUSE: Duration = Duration::from_millis(5);

        let mut message = Message::Ask(ask);
        loop {
            match self.offer(message) {
                Ok(()) => break,
                Err(Refused::Full(returned)) => message = returned,
                Err(Refused::Closed) => return Err(RecorderClosed),
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.thread.unpark();
        Ok(())
    }

    /// Accepts no more visits, stores those that wait, and ends the writer.
    /// Returns when that is done; calling it again does no harm.
    pub async fn shutdown(&self) {
        self.close();
        let mut ended = self.ended.clone();
        // The channel carries no messages: it only reports that its sender was dropped.
        while ended.changed().await.is_ok() {}
        self.join();
    }

    fn offer(&self, message: Message) -> Result<(), Refused> {
        let Ok(queue) = self.queue.try_read() else {
            return Err(Refused::Closed);
        };
        let Some(sender) = queue.as_ref() else {
            return Err(Refused::Closed);
        };
        let bytes = message.bytes();
        let before = self.tally.enter_queue(bytes);
        if before.messages >= self.room.messages || before.bytes >= self.room.bytes {
            self.tally.leave_queue(bytes);
            return Err(Refused::Full(message));
        }
        sender.send(message).map_err(|_| {
            self.tally.leave_queue(bytes);
            Refused::Closed
        })
    }

    fn close(&self) {
        self.tally.close();
        *self.queue.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.thread.unpark();
    }

    fn join(&self) {
        let handle = self
            .handle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if handle.is_some_and(|handle| handle.join().is_err()) {
            tracing::error!("the access log's writer panicked");
        }
    }
}

impl VisitSink for Recorder {
    fn record(&self, visit: Visit) {
        let at = visit.at;
        if self.offer(Message::Visit(visit)).is_err() {
            self.tally.losses.add(at, 1);
        }
    }
}

#[async_trait]
impl VisitEraser for Recorder {
    async fn erase(&self, link: &LinkId) -> Result<Erasure, VisitLogError> {
        let (marked, answer) = oneshot::channel();
        let mark = async {
            self.ask(Ask::Erase(link.clone(), marked)).await?;
            answer.await.map_err(|_| RecorderClosed)
        };
        let failed = |source| VisitLogError::Failed {
            action: ERASE,
            source,
        };
        let marked = timeout(MARK_PATIENCE, mark).await;
        let marked = marked.map_err(|_| VisitLogError::TooSlow {
            action: ERASE,
            limit: MARK_PATIENCE,
        })?;
        let marked = marked.map_err(|closed| failed(closed.into()))?;
        let done = marked.map_err(|error| failed(error.into()))?;
        Ok(match timeout(ERASURE_PATIENCE, done).await {
            Ok(Ok(())) => Erasure::Done,
            // At the end of the process no sender is left, and the next process continues the erasure.
            Ok(Err(_)) | Err(_) => Erasure::Kept,
        })
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.close();
        self.join();
    }
}

/// The work of a recorder since its start, and the state of its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecorderNumbers {
    /// Visits in the queue.
    pub waiting: usize,
    /// The memory that they take, in bytes.
    pub waiting_bytes: usize,
    /// Visits that became rows.
    pub stored: u64,
    /// Visits that other rows stand for, by sampling.
    pub left_out: u64,
    /// Visits that were lost.
    pub dropped: u64,
    /// The time to make a batch durable.
    pub appends: Timings,
    /// The current faults.
    pub troubles: Vec<LogTrouble>,
}

/// The reason why the queue did not accept a message.
enum Refused {
    Full(Message),
    Closed,
}

/// The recorder was shut down and can store nothing more, or a bug kept it from doing this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the recorder is closed, or met a bug")]
pub struct RecorderClosed;
