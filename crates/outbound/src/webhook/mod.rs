//! Telling another server of visits.
//!
//! Messages are those of Sink, signed as <https://www.standardwebhooks.com>
//! has it. Stored visits go into a bounded queue, from which a background task
//! sends them, some at a time and in no particular order. Whoever stores visits
//! never waits: what has no room is dropped and counted.

mod courier;
mod event;
mod secret;
mod tally;

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use slugline_domain::{
    VisitRecord,
    ports::{Clock, Random, VisitObserver},
};
use tokio::{
    sync::{
        Notify,
        mpsc::{self, Receiver, Sender},
    },
    task::{JoinHandle, JoinSet},
    time::{MissedTickBehavior, interval, timeout},
};
use url::Url;

use self::{courier::Courier, event::Event, tally::Tally};
use crate::Client;

pub use self::secret::{WebhookSecret, WebhookSecretError};

/// Where messages go, and how persistently.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    /// The receiver.
    pub url: Url,
    /// What messages are signed with, if they are.
    pub secret: Option<WebhookSecret>,
    /// How persistently.
    pub persistence: Persistence,
}

/// How hard it is tried to deliver messages.
#[derive(Clone, Copy, Debug)]
pub struct Persistence {
    /// Messages that may wait to be looked at; further ones are dropped.
    pub queue: usize,
    /// Messages that are being delivered or wait for their next attempt.
    pub pending: usize,
    /// Connections at a time.
    pub connections: usize,
    /// Attempts at one message.
    pub attempts: u32,
    /// Time for one attempt.
    pub patience: Duration,
    /// About how long to wait before the second attempt; twice as long before
    /// each further one.
    pub first_pause: Duration,
    /// Longest pause, even if the receiver asks for more.
    pub longest_pause: Duration,
    /// How often losses are logged, at most.
    pub report_every: Duration,
    /// Time for what is left when the service stops.
    pub grace: Duration,
}

impl Default for Persistence {
    /// A receiver may restart, which takes half a minute, without missing
    /// anything. Ten seconds are Sink's. A waiting message takes about half a
    /// kilobyte.
    fn default() -> Self {
        Self {
            queue: 4_096,
            pending: 1_024,
            connections: 8,
            attempts: 6,
            patience: Duration::from_secs(10),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_mins(1),
            report_every: Duration::from_mins(1),
            grace: Duration::from_secs(5),
        }
    }
}

/// Tells a receiver of stored visits.
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
    /// Starts the background task, on the runtime that this is called in. The
    /// client's policy has to be the one for servers of the operator: a
    /// redirect is a failure.
    pub fn start(
        options: WebhookOptions,
        client: Client,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let persistence = options.persistence;
        let (queue, waiting) = mpsc::channel(persistence.queue);
        let tally = Arc::<Tally>::default();
        let closing = Arc::<Notify>::default();
        let worker = Worker {
            waiting,
            closing: Arc::clone(&closing),
            persistence,
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
            grace: persistence.grace,
        }
    }

    /// Messages that were dropped because there was no room, since they were
    /// last logged.
    pub fn dropped(&self) -> u64 {
        self.tally.dropped()
    }

    /// Whether the receiver asked never to be called again.
    pub fn receiver_is_gone(&self) -> bool {
        self.tally.receiver_is_gone()
    }

    /// Takes no more visits, tries to deliver what is left for a while, and
    /// logs what is not.
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

impl VisitObserver for Webhook {
    fn observe(&self, record: &VisitRecord<'_>) {
        if self.tally.receiver_is_gone() {
            return;
        }
        // Room first: when there is none, nothing is made.
        match self.queue.try_reserve() {
            Ok(room) => {
                self.tally.take();
                let now = self.clock.now();
                room.send(Event::of(record, now, self.random.as_ref()));
            }
            Err(_) => self.tally.drop_one(),
        }
    }
}

struct Worker {
    waiting: Receiver<Event>,
    closing: Arc<Notify>,
    persistence: Persistence,
    tally: Arc<Tally>,
    courier: Arc<Courier>,
}

impl Worker {
    async fn run(mut self) {
        let mut pending = JoinSet::new();
        let mut reports = interval(self.persistence.report_every);
        reports.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                event = self.waiting.recv(), if pending.len() < self.persistence.pending => {
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
