//! The one thread that changes the file.
//!
//! SQLite has one writer at a time, and a commit costs one write to the disk
//! however much it holds. So changes that wait at the same time share a
//! transaction: each is applied as if alone, and all are answered once the
//! commit is on the disk.
//!
//! Most changes that do not succeed, such as an insert whose slug is taken,
//! have written nothing. If one has, or fails, or the commit fails, the
//! transaction is rolled back and each change is retried in its own
//! transaction, so that none suffers from another.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::{
    SqliteFile,
    job::{Job, Unnoticed, Waiting},
    transaction::{Idle, Transaction},
};
use crate::{
    failure::Failure,
    session::{Applied, Change, Seen},
};

/// The most changes that wait; further callers wait for a slot. At some ten
/// thousand changes a second the last one waits for a tenth of a second.
const QUEUE: usize = 1_024;

/// The most changes that share a transaction: some milliseconds of work.
const SHARED: usize = 256;

/// The interval at which the thread checks whether another process changed the
/// file.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Hands changes to the thread that applies them. Dropping it waits until the
/// changes handed over are done.
#[derive(Debug)]
pub(crate) struct Writer {
    slots: Arc<Semaphore>,
    /// `None` once this is being dropped.
    queue: Mutex<Option<Sender<Box<dyn Job>>>>,
    thread: Option<JoinHandle<()>>,
    unnoticed: Unnoticed,
}

impl Writer {
    /// Opens the file, creates it if it is missing, and starts the thread.
    pub(super) fn start(file: SqliteFile) -> Result<Self, Failure> {
        let connection = Idle::new(file.open_writer()?);
        let (sender, receiver) = mpsc::channel();
        let unnoticed = Unnoticed::default();
        let thread = WriterThread {
            file,
            queue: receiver,
            known_version: connection.data_version()?,
            connection: Some(connection),
            looked_at: Instant::now(),
            unnoticed: unnoticed.clone(),
        };
        let thread = thread::Builder::new()
            .name("links".into())
            .spawn(move || thread.run())
            .map_err(Failure::Thread)?;
        Ok(Self {
            slots: Arc::new(Semaphore::new(QUEUE)),
            queue: Mutex::new(Some(sender)),
            thread: Some(thread),
            unnoticed,
        })
    }

    /// Applies a change and returns when it is durable.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        change: impl Change<T>,
        seen: Seen,
    ) -> Result<T, Failure> {
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        // The semaphore is never closed.
        let slot = slot.map_err(|_| Failure::WriterEnded)?;
        let unnoticed = (seen == Seen::ByCaches).then(|| self.unnoticed.clone());
        let (waiting, answer) = Waiting::new(change, unnoticed, slot);
        self.hand_over(Box::new(waiting))?;
        answer.await.map_err(|_| Failure::WriterEnded)?.take()
    }

    /// The number of changes to the file that this process's caches do not know
    /// of. A change of another process is counted within about a second.
    pub(crate) fn unnoticed_changes(&self) -> u64 {
        self.unnoticed.count()
    }

    /// Returns whether the thread is gone, which only a panic can cause.
    pub(super) fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn hand_over(&self, job: Box<dyn Job>) -> Result<(), Failure> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = queue.as_ref().ok_or(Failure::WriterEnded)?;
        sender.send(job).map_err(|_| Failure::WriterEnded)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let queue = self.queue.get_mut();
        queue.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.take() {
            // The panic has already been reported.
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct WriterThread {
    file: SqliteFile,
    queue: Receiver<Box<dyn Job>>,
    /// `None` after a transaction that did not end as it was asked to.
    connection: Option<Idle>,
    /// The last value of [`Idle::data_version`].
    known_version: i64,
    looked_at: Instant,
    unnoticed: Unnoticed,
}

impl WriterThread {
    /// Runs until the sending side is dropped.
    fn run(mut self) {
        loop {
            match self.queue.recv_timeout(LOOK_EVERY) {
                Ok(first) => self.work(first),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.looked_at.elapsed() >= LOOK_EVERY {
                self.look();
            }
        }
    }

    fn work(&mut self, first: Box<dyn Job>) {
        let mut jobs = vec![first];
        jobs.extend(self.queue.try_iter().take(SHARED - 1));
        if jobs.len() > 1 {
            match self.apply_together(&mut jobs) {
                Ok(Shared::Committed) => return jobs.into_iter().for_each(Job::answer),
                Ok(Shared::Spoiled) => {}
                Err(error) => return refuse(jobs, &error),
            }
        }
        let mut jobs = jobs.into_iter();
        while let Some(job) = jobs.next() {
            match self.begin() {
                Ok(transaction) => self.connection = apply_alone(job, transaction),
                // The other jobs would wait for the same lock, or meet the same
                // fault, one after the other.
                Err(error) => return refuse([job].into_iter().chain(jobs), &error),
            }
        }
    }

    fn apply_together(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<Shared, NotBegun> {
        let transaction = self.begin()?;
        for job in jobs {
            if !matches!(job.apply(transaction.session()), Ok(Applied::Commit(()))) {
                self.connection = transaction.roll_back();
                return Ok(Shared::Spoiled);
            }
        }
        let Ok(connection) = index_and_commit(transaction) else {
            return Ok(Shared::Spoiled);
        };
        self.connection = Some(connection);
        Ok(Shared::Committed)
    }

    fn begin(&mut self) -> Result<Transaction, NotBegun> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.open_again()?,
        };
        connection.begin_to_write().map_err(Arc::new)
    }

    /// Opens another connection. Other processes may have changed the file
    /// meanwhile, which it cannot tell, so it counts as changed.
    fn open_again(&mut self) -> Result<Idle, NotBegun> {
        self.unnoticed.add_one();
        let connection = Idle::new(self.file.open_writer().map_err(Arc::new)?);
        self.known_version = connection.data_version().map_err(Arc::new)?;
        Ok(connection)
    }

    /// Checks whether another process has changed the file.
    fn look(&mut self) {
        self.looked_at = Instant::now();
        let Some(connection) = &self.connection else {
            self.connection = self.open_again().ok();
            return;
        };
        match connection.data_version() {
            Ok(version) if version == self.known_version => {}
            Ok(version) => {
                self.known_version = version;
                self.unnoticed.add_one();
            }
            Err(_) => self.connection = None,
        }
    }
}

/// The outcome of changes that shared a transaction.
enum Shared {
    Committed,
    /// One of them failed or wants its writes undone, or the commit failed.
    /// Nothing was changed.
    Spoiled,
}

/// The reason why no transaction could begin, told to several callers.
type NotBegun = Arc<rusqlite::Error>;

/// Applies a job in its own transaction, and returns the connection if it can
/// be used again.
fn apply_alone(mut job: Box<dyn Job>, transaction: Transaction) -> Option<Idle> {
    match job.apply(transaction.session()) {
        Ok(Applied::Commit(())) => match index_and_commit(transaction) {
            Ok(connection) => {
                job.answer();
                Some(connection)
            }
            Err(error) => {
                job.refuse(error.into());
                None
            }
        },
        Ok(Applied::Rollback(())) => {
            let connection = transaction.roll_back();
            job.answer();
            connection
        }
        Err(failure) => {
            let connection = transaction.roll_back();
            job.refuse(failure);
            connection
        }
    }
}

/// After an error nothing was committed, and the connection is closed.
fn index_and_commit(transaction: Transaction) -> Result<Idle, rusqlite::Error> {
    transaction.with(index)?;
    transaction.commit()
}

fn refuse(jobs: impl IntoIterator<Item = Box<dyn Job>>, error: &NotBegun) {
    for job in jobs {
        job.refuse(Failure::NotBegun(Arc::clone(error)));
    }
}

/// Indexes the texts in the queue for searches and empties it, once there are enough.
///
/// Triggers put the numbers of new and changed links into `link_search_queue`. Each time that texts
/// are indexed, FTS5 writes a segment and merges it with others later, so many texts at once cost a
/// fraction of indexing each. Until then searches compare the texts in the queue one by one.
fn index(connection: &Connection) -> Result<(), rusqlite::Error> {
    /// The most texts that stay in the queue.
    const WAITING: u32 = 256;

    let count = "SELECT count(*) FROM link_search_queue";
    let mut count = connection.prepare_cached(count)?;
    let waiting: u32 = count.query_row([], |row| row.get(0))?;
    if waiting > WAITING {
        let index = "INSERT INTO link_search (rowid, folded_text) \
                     SELECT number, folded_text FROM short_links \
                     WHERE number IN (SELECT number FROM link_search_queue)";
        connection.prepare_cached(index)?.execute([])?;
        let empty = "DELETE FROM link_search_queue";
        connection.prepare_cached(empty)?.execute([])?;
    }
    Ok(())
}
