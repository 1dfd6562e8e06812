//! The writer thread behind the queue. It gathers sampled visits into batches, which the engine
//! stores.

use std::{
    error::Error as StdError,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    },
    thread,
    time::{Duration, Instant},
};

use slugline_domain::{LinkId, Place, UnixMillis, Visit};
use tokio::sync::oneshot;

use crate::{
    batch::Batch,
    journal::appender::{Appended, Appender, IDLE},
    losses::Loss,
    options::RecorderOptions,
    reminder::{Reminder, Warning},
    row::Kept,
    sampling::{Pressure, Sampler},
    tally::Tally,
};

/// The interval between two reads of the queue while the thread gathers a batch. If the thread
/// waited on the queue instead, every redirect would wake it with a system call. A queue of the
/// default size holds the visits of one tick at three million per second.
const TICK: Duration = Duration::from_millis(20);

/// The time between two steps of maintenance.
const STEP_PAUSE: Duration = Duration::from_millis(20);

/// The number of messages after which the time is checked if the queue never
/// empties.
const MESSAGES_PER_LOOK: usize = 256;

/// Pauses between attempts while the disk refuses: the first one, doubled up to
/// the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// An entry of the queue.
#[derive(Debug)]
pub(crate) enum Message {
    Visit(Visit),
    Ask(Ask),
}

/// A caller's request, which ends the batch.
#[derive(Debug)]
pub(crate) enum Ask {
    /// A message is due when everything before this is durable.
    Flush(oneshot::Sender<()>),
    /// Erase the visits that the link has so far.
    Erase(LinkId, oneshot::Sender<Marked>),
}

/// Either the visits are marked durably, and the receiver gets a message when no answer contains
/// them; or nothing was marked.
pub(crate) type Marked = Result<oneshot::Receiver<()>, rusqlite::Error>;

impl Message {
    /// The memory that it takes, excluding the link, which all visits of the link share.
    pub(crate) fn bytes(&self) -> usize {
        /// The allocator's own share of each allocation, rounding included.
        const ALLOCATION: usize = 24;
        /// A place, and its texts: region, city and time zone.
        const PLACE: usize = size_of::<Place>() + 4 * ALLOCATION;
        let apart = match self {
            Self::Visit(visit) => {
                let place = visit.place.as_deref();
                let place = place.map_or(0, |place| PLACE + place.bytes());
                ALLOCATION + visit.headers.bytes() + place
            }
            Self::Ask(_) => 0,
        };
        size_of::<Self>() + apart
    }
}

#[derive(Debug)]
pub(crate) struct Writer {
    queue: Receiver<Message>,
    sampler: Sampler,
    appender: Appender,
    options: RecorderOptions,
    tally: Arc<Tally>,
    batch: Batch,
    /// The moment of the visit that left the queue and is not decided yet.
    in_hand: Option<UnixMillis>,
    /// Set at the first failure after the recorder was closed.
    gives_up_at: Option<Instant>,
    gave_up: bool,
    dropped_logged: u64,
    erased: Vec<Erased>,
}

/// A link whose visits among the next messages of the queue are erased.
#[derive(Debug)]
struct Erased {
    link: LinkId,
    messages: usize,
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
            batch: Batch::default(),
            in_hand: None,
            gives_up_at: None,
            gave_up: false,
            dropped_logged: 0,
            erased: Vec::new(),
        }
    }

    /// Runs until the recorder is closed and the queue is empty.
    ///
    /// A panic costs the visits of its batch, and the thread goes on: visits would otherwise be
    /// lost until an operator restarts the process. The process does not end, because redirects come
    /// first, and a visit that makes every process panic must not stop them.
    pub(crate) fn run(mut self) {
        let mut busy = self.caught(Self::maintain).unwrap_or(false);
        loop {
            let pause = if busy { STEP_PAUSE } else { IDLE };
            let first = match self.queue.recv_timeout(pause) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            busy = self.caught(|writer| writer.turn(first)).unwrap_or(false);
        }
        self.caught(|writer| writer.appender.end());
    }

    /// Stores the next messages. Returns whether there is more maintenance to do.
    fn turn(&mut self, first: Option<Message>) -> bool {
        if let Some(first) = first {
            self.receive(&first);
            self.appender.beat();
            let ask = self.gather(first);
            if let Some(Ask::Erase(link, marked)) = ask {
                self.erase(link, marked);
                self.store();
            } else {
                let stored = self.store();
                if let (Some(Ask::Flush(durable)), true) = (ask, stored) {
                    // The caller may have hung up.
                    let _ = durable.send(());
                }
            }
            self.log_dropped();
        }
        self.maintain()
    }

    fn maintain(&mut self) -> bool {
        self.appender.beat();
        self.appender.maintain()
    }

    /// Runs a part of the thread's work. Returns `None` after a panic, and notes the visits that it
    /// cost. Callers who wait get an error, because the panic dropped their senders.
    fn caught<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> Option<T> {
        // The batch is dropped, the database rolls back, and `recover` resets what depends on it.
        let done = panic::catch_unwind(AssertUnwindSafe(|| act(self)));
        if done.is_err() {
            self.tally.troubles.panicked.store(true, Ordering::Relaxed);
            let before = self.tally.losses.since_start();
            if let Some(at) = self.in_hand.take() {
                self.tally.losses.add(at, 1);
            }
            // Visits that were stored just before the panic count as lost, too.
            self.lose_batch();
            // If this panics, the next turn does.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| self.appender.recover()));
            tracing::error!(
                visits_lost = self.tally.losses.since_start() - before,
                "the writer of the access log panicked, and goes on; this is a bug, please report it"
            );
            self.dropped_logged = self.tally.losses.since_start();
            // So that a panic of every visit does not flood the log.
            if !self.tally.closing() {
                thread::park_timeout(FIRST_PAUSE);
            }
        }
        done.ok()
    }

    /// Counts a message that leaves the queue.
    fn receive(&mut self, message: &Message) {
        self.tally.leave_queue(message.bytes());
        self.in_hand = match message {
            Message::Visit(visit) => Some(visit.at),
            Message::Ask(_) => None,
        };
    }

    /// Fills the batch until it is large or old enough, or a caller waits for
    /// it.
    fn gather(&mut self, first: Message) -> Option<Ask> {
        let due = Instant::now() + self.options.batch_age;
        let mut next = Ok(first);
        let mut messages = 0;
        loop {
            match next {
                Ok(message) => {
                    let bytes = message.bytes();
                    let erased = self.was_erased(&message);
                    match message {
                        Message::Ask(ask) => return Some(ask),
                        Message::Visit(_) if erased => {}
                        Message::Visit(visit) => self.take(visit, bytes),
                    }
                    self.in_hand = None;
                    messages += 1;
                    let look = messages % MESSAGES_PER_LOOK == 0;
                    if self.is_batch_full() || look && Instant::now() >= due {
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
            next = self
                .queue
                .try_recv()
                .inspect(|message| self.receive(message));
        }
    }

    fn is_batch_full(&self) -> bool {
        self.batch.kept.len() >= self.options.batch_rows
            || self.batch.bytes >= self.options.queue_bytes / 4
    }

    /// Decides whether a visit becomes a row of the batch, before deriving anything from it. It
    /// skips excluded bots before sampling, so they use no room of people.
    fn take(&mut self, visit: Visit, bytes: usize) {
        if self.options.skip_bots && self.appender.is_from_bot(&visit) {
            return;
        }
        let (at, client) = (visit.at, visit.client);
        let Some(visitor) = self.retry_until_done(|appender, _| appender.identify(at, client))
        else {
            self.tally.losses.add(at, 1);
            return;
        };
        let pressure = self.pressure();
        let decision = self.sampler.decide(at, visit.link.id(), visitor, pressure);
        self.batch.sampled.note(at, &visit.link, &decision);
        let Some(sampled) = decision.kept else {
            self.tally.leave_out();
            return;
        };
        self.batch.bytes += bytes;
        self.batch.kept.push(Kept {
            visit,
            visitor: visitor.hash,
            sampled,
        });
    }

    /// The pressure of the fullest buffer on the way of visits.
    fn pressure(&self) -> Pressure {
        let waiting = self.tally.waiting();
        let messages = Pressure::of(waiting.messages, self.options.queue);
        let bytes = Pressure::of(waiting.bytes, self.options.queue_bytes);
        messages.max(bytes).max(self.appender.pressure())
    }

    /// Marks the stored visits of a link, and drops those that wait in the batch and in the queue.
    /// So all visits that were recorded before the answer are gone. The caller gets an error and
    /// can ask again.
    fn erase(&mut self, link: LinkId, marked: oneshot::Sender<Marked>) {
        if marked.is_closed() {
            return;
        }
        let (done, erased) = oneshot::channel();
        if let Err(error) = self.appender.erase(&link, done) {
            let _ = marked.send(Err(error));
            return;
        }
        self.batch.erase(&link);
        self.erased.push(Erased {
            link,
            messages: self.tally.waiting().messages,
        });
        let _ = marked.send(Ok(erased));
    }

    /// Counts a message that leaves the queue. Returns true if it is a visit that was erased while
    /// it waited.
    fn was_erased(&mut self, message: &Message) -> bool {
        if self.erased.is_empty() {
            return false;
        }
        let of = |erased: &Erased| matches!(message, Message::Visit(visit) if visit.link.id() == erased.link.as_str());
        self.erased.retain(|erased| erased.messages > 0);
        let found = self.erased.iter().any(of);
        for erased in &mut self.erased {
            erased.messages -= 1;
        }
        found
    }

    /// Stores the batch. Returns true if the batch is finished: stored or lost.
    fn store(&mut self) -> bool {
        if self.batch.is_empty() {
            return !self.gave_up;
        }
        let begun = Instant::now();
        let appended = self.retry_until_done(Appender::append);
        self.tally.appends.observe(begun.elapsed());
        if appended == Some(Appended::Stored) {
            self.tally.store(self.batch.kept.len());
            self.batch.settle();
        } else {
            self.lose_batch();
        }
        let troubles = &self.tally.troubles;
        let full = appended == Some(Appended::NoRoom);
        troubles.full.store(full, Ordering::Relaxed);
        appended.is_some()
    }

    /// Counts the visits of the batch as lost. A row stands for several of them.
    fn lose_batch(&mut self) {
        for loss in self.batch.losses() {
            self.tally.losses.add_all(loss);
        }
        self.batch.clear();
    }

    /// Runs an action of the engine, and retries until it succeeds. Every error is retried: a
    /// disk gets free space, a lock is released, and no visit can make a row that the engine
    /// cannot accept. Returns `None` only during a shutdown, when its time limit has passed and
    /// the remaining visits are lost.
    fn retry_until_done<T>(
        &mut self,
        act: impl Fn(&mut Appender, &Batch) -> Result<T, rusqlite::Error>,
    ) -> Option<T> {
        let mut pause = FIRST_PAUSE;
        let mut reminder = Reminder::default();
        while !self.gave_up {
            let error = match act(&mut self.appender, &self.batch) {
                Ok(done) => {
                    if reminder.works() {
                        self.tally
                            .troubles
                            .not_storing
                            .store(false, Ordering::Relaxed);
                        tracing::info!("the access log takes visits again");
                    }
                    return Some(done);
                }
                Err(error) => error,
            };
            self.tally
                .troubles
                .not_storing
                .store(true, Ordering::Relaxed);
            let error: &(dyn StdError + 'static) = &error;
            if self.shutdown_timed_out() {
                tracing::error!(error, "visits are lost: the access log takes none");
                self.gave_up = true;
                break;
            }
            let waiting = self.tally.waiting().messages + self.batch.kept.len();
            self.appender.expect_losses(self.would_be_lost());
            match reminder.failed(Instant::now()) {
                Some(Warning::First) => tracing::warn!(
                    error,
                    waiting,
                    "the access log takes no visits, will try again"
                ),
                Some(Warning::Again(since)) => tracing::warn!(
                    error,
                    waiting,
                    minutes = since.as_secs() / 60,
                    dropped = self.tally.losses.since_start(),
                    "the access log still takes no visits"
                ),
                None => {}
            }
            thread::park_timeout(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        None
    }

    /// The visits that would be lost if the process ended now: those of the batch, and those
    /// that came since.
    fn would_be_lost(&self) -> Option<Loss> {
        let last = self.appender.now();
        let queued = u64::try_from(self.tally.waiting().messages).unwrap_or(u64::MAX);
        let queued = (queued > 0).then(|| Loss::between(last, last, queued));
        let all: Vec<Loss> = self.batch.losses().chain(queued).collect();
        Loss::of_all(&all)
    }

    fn shutdown_timed_out(&mut self) -> bool {
        if !self.tally.closing() {
            return false;
        }
        let now = Instant::now();
        let limit = *self
            .gives_up_at
            .get_or_insert(now + self.options.shutdown_timeout);
        now >= limit
    }

    /// At most once per batch, because a full queue drops very many visits.
    fn log_dropped(&mut self) {
        let dropped = self.tally.losses.since_start();
        if dropped > self.dropped_logged {
            tracing::warn!(
                visits = dropped - self.dropped_logged,
                "visits were dropped: they came in faster than the access log takes them"
            );
            self.dropped_logged = dropped;
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Colo, Coordinates, Country, PlaceName, TimeZoneName, VisitHeaders, Way};
    use slugline_testkit::{NOON, link};

    use super::*;

    fn visit(header: &str, place: Option<Place>) -> Message {
        Message::Visit(Visit {
            at: NOON.start(),
            link: link("docs").followed(),
            client: std::net::Ipv4Addr::LOCALHOST.into(),
            headers: VisitHeaders::new(header, header, header),
            place: place.map(Box::new),
            way: Way::Main,
        })
    }

    #[test]
    fn the_largest_visit_takes_three_and_a_half_kibibytes() {
        let long = "x".repeat(128 * 1_024);
        let place = Place {
            country: Country::parse("AT").ok(),
            region: PlaceName::new(&long),
            city: PlaceName::new(&long),
            timezone: TimeZoneName::new(&"x".repeat(40)),
            colo: Colo::new("ABCDEFGH"),
            coordinates: Coordinates::new(1.0, 2.0),
        };
        let largest = visit(&long, Some(place)).bytes();
        assert!((3_072..=3_584).contains(&largest), "{largest}");
        let ordinary = visit(&"x".repeat(80), None).bytes();
        assert!((240..=400).contains(&ordinary), "{ordinary}");
    }
}
