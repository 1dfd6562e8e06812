//! Sends visits, and news about destinations, to another server.
//!
//! The messages are Sink's, signed according to
//! <https://www.standardwebhooks.com>. Stored visits go into a bounded queue. A
//! background task sends them, several at a time and in no particular order.
//! The thread that stores visits never waits: messages that find no room are
//! dropped and counted.

mod courier;
mod event;
mod options;
mod tally;

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use slugline_domain::{
    Failing, Link, UnixMillis, VisitRecord, WatchNews,
    ports::{Clock, Random, VisitObserver, WatchObserver},
};
use tokio::{
    sync::{
        Notify,
        mpsc::{self, Receiver, Sender},
    },
    task::{JoinHandle, JoinSet},
    time::{MissedTickBehavior, interval, timeout},
};

use self::{courier::Courier, event::Event, tally::Tally};
use crate::Client;

pub use self::options::{RetryPolicy, WebhookOptions};
pub use self::options::{WebhookSecret, WebhookSecretError};

/// Sends stored visits, and news about destinations, to a receiver.
pub struct Webhook {
    queue: Sender<Event>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    tally: Arc<Tally>,
    closing: Arc<Notify>,
    worker: Mutex<Option<JoinHandle<()>>>,
    grace: Duration,
}

impl Webhook {
    /// Starts the background task on the current runtime. The client must have
    /// the policy for servers of the operator: a redirect counts as a failure.
    pub fn start(
        options: WebhookOptions,
        client: Client,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let retries = options.retries;
        let (queue, waiting) = mpsc::channel(retries.queue);
        let tally = Arc::<Tally>::default();
        let closing = Arc::<Notify>::default();
        let worker = Worker {
            waiting,
            closing: Arc::clone(&closing),
            retries,
            tally: Arc::clone(&tally),
            courier: Arc::new(Courier::new(
                options,
                client,
                Arc::clone(&clock),
                Arc::clone(&random),
                Arc::clone(&tally),
            )),
        };
        Self {
            queue,
            clock,
            random,
            tally,
            closing,
            worker: Mutex::new(Some(tokio::spawn(worker.run()))),
            grace: retries.grace,
        }
    }

    /// The number of messages dropped for lack of room since the last report in
    /// the log output.
    pub fn dropped(&self) -> u64 {
        self.tally.dropped()
    }

    /// Returns whether the receiver asked never to be called again.
    pub fn receiver_is_gone(&self) -> bool {
        self.tally.receiver_is_gone()
    }

    /// Accepts no more visits, tries to deliver the rest for a while, and logs
    /// what remains.
    pub async fn shutdown(&self) {
        let worker = self.worker.lock().expect("nothing panics under it").take();
        let Some(mut worker) = worker else {
            return;
        };
        self.closing.notify_one();
        if timeout(self.grace, &mut worker).await.is_err() {
            worker.abort();
        }
        self.tally.report_last();
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").finish_non_exhaustive()
    }
}

impl Webhook {
    /// Queues a message, if there is room and a receiver.
    fn send(&self, message: impl FnOnce(UnixMillis, &dyn Random) -> Event) {
        if self.tally.receiver_is_gone() {
            return;
        }
        // Reserve room first; without it, build no message.
        match self.queue.try_reserve() {
            Ok(room) => {
                self.tally.take();
                room.send(message(self.clock.now(), self.random.as_ref()));
            }
            Err(_) => self.tally.drop_one(),
        }
    }
}

impl VisitObserver for Webhook {
    fn observe(&self, record: &VisitRecord<'_>) {
        self.send(|now, random| Event::of(record, now, random));
    }
}

impl WatchObserver for Webhook {
    fn news(&self, news: WatchNews, link: &Link, failing: &Failing) {
        self.send(|now, random| Event::of_watch(news, link, failing, now, random));
    }
}

struct Worker {
    waiting: Receiver<Event>,
    closing: Arc<Notify>,
    retries: RetryPolicy,
    tally: Arc<Tally>,
    courier: Arc<Courier>,
}

impl Worker {
    async fn run(mut self) {
        let mut pending = JoinSet::new();
        let mut reports = interval(self.retries.report_every);
        reports.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                event = self.waiting.recv(), if pending.len() < self.retries.pending => {
                    let Some(event) = event else { break };
                    let courier = Arc::clone(&self.courier);
                    pending.spawn(async move { courier.deliver(event).await });
                }
                Some(_) = pending.join_next() => {}
                _ = reports.tick() => self.tally.report(),
                () = self.closing.notified() => self.waiting.close(),
            }
        }
        while pending.join_next().await.is_some() {}
    }
}
