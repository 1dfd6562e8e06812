//! The thread that sends rows from the spool to ClickHouse.
//!
//! It has its own runtime, so that it works wherever the recorder is started,
//! and no request of a visitor waits for it.

use std::{
    error::Error as StdError,
    io,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use slugline_analytics::{
    journal::open::{give_all_back, give_back},
    reminder::{Reminder, Warning},
    tally::Tally,
};
use slugline_domain::ports::Random;
use tokio::sync::{Notify, watch};

use crate::{
    client::Client,
    erasures::{self, Erasures, State},
    error::ShipError,
    gaps, row_binary,
    salts::SharedSalts,
    schema::Retention,
    spool,
};

/// The time limit of one shipment. A server that merges or is short of memory
/// is slow, and giving up early would make it do the work again.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Pauses while ClickHouse is down: the first one, doubled up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

const AFTER_A_PANIC: Duration = Duration::from_secs(1);

/// The longest wait for new rows.
const LONGEST_REST: Duration = Duration::from_mins(1);

/// A handle of the thread. Dropping it makes the thread ship as many rows as it
/// can in the given time; the rest stays in the spool for the next start.
#[derive(Debug)]
pub(crate) struct Shipper {
    rows_came: Arc<Notify>,
    closing: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// The state of the thread.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) spool: Connection,
    pub(crate) client: Client,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) retention: Retention,
    /// `true` if the tables are known to exist.
    pub(crate) prepared: bool,
    /// `None` for a command beside the service, which has no visitors to identify.
    pub(crate) salts: Option<SharedSalts>,
    /// `None` for a command beside the service. The caller who waits for an erasure, and the
    /// writer that wipes the spool afterwards, are in the service.
    pub(crate) erasures: Option<Erasures>,
    /// Tells the writer that rows of the spool are to be wiped.
    pub(crate) erased: Arc<AtomicBool>,
    /// The time for the last rows at shutdown.
    pub(crate) shutdown_timeout: Duration,
    pub(crate) tally: Arc<Tally>,
}

impl Shipper {
    pub(crate) fn start(mut work: Work) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let rows_came = Arc::new(Notify::new());
        let (closing, closed) = watch::channel(false);
        let timeout = work.shutdown_timeout;
        let wake = Arc::clone(&rows_came);
        let thread = thread::Builder::new()
            .name("access-log-shipper".into())
            .spawn(move || {
                let tally = Arc::clone(&work.tally);
                loop {
                    let mut over = closed.clone();
                    let work = async {
                        tokio::select! {
                            () = work.run(&wake, closed.clone()) => {}
                            () = async {
                                // The sender is dropped only after it has sent.
                                let _ = over.wait_for(|closing| *closing).await;
                                tokio::time::sleep(timeout).await;
                            } => {}
                        }
                    };
                    let run = AssertUnwindSafe(|| runtime.block_on(work));
                    if panic::catch_unwind(run).is_ok() {
                        return;
                    }
                    tracing::error!(
                        "the thread that ships visits to ClickHouse panicked; this is a bug, \
                         please report it"
                    );
                    tally.troubles.panicked.store(true, Ordering::Relaxed);
                    // The spool keeps its rows, so another attempt loses nothing.
                    if *closed.borrow() {
                        return;
                    }
                    thread::sleep(AFTER_A_PANIC);
                }
            })?;
        Ok(Self {
            rows_came,
            closing,
            thread: Some(thread),
        })
    }

    /// Tells the thread about new rows.
    pub(crate) fn wake(&self) {
        self.rows_came.notify_one();
    }
}

impl Drop for Shipper {
    fn drop(&mut self) {
        let _ = self.closing.send(true);
        let thread = self.thread.take();
        // The thread has reported its panics.
        let _ = thread.map(JoinHandle::join);
    }
}

impl Work {
    async fn run(&mut self, rows_came: &Notify, mut closing: watch::Receiver<bool>) {
        let mut pause = FIRST_PAUSE;
        let mut reminder = Reminder::default();
        loop {
            let last = *closing.borrow_and_update();
            let shipped = self.ship().await;
            let failed = shipped.is_err();
            let erasing = matches!(shipped, Ok(State::UnderWay));
            let troubles = &self.tally.troubles;
            troubles.not_shipping.store(failed, Ordering::Relaxed);
            match shipped {
                Ok(_) => {
                    if reminder.works() {
                        tracing::info!("ClickHouse takes visits again");
                    }
                    pause = FIRST_PAUSE;
                }
                Err(error) => {
                    let error: &(dyn StdError + 'static) = &error;
                    match reminder.failed(Instant::now()) {
                        Some(Warning::First) => tracing::warn!(
                            error,
                            "ClickHouse takes no visits; they wait in the data folder"
                        ),
                        Some(Warning::Again(since)) => tracing::warn!(
                            error,
                            minutes = since.as_secs() / 60,
                            "ClickHouse still takes no visits; they wait in the data folder"
                        ),
                        None => {}
                    }
                }
            }
            if last {
                return;
            }
            let rest = async {
                if failed || erasing {
                    tokio::time::sleep(pause).await;
                } else {
                    // Salts start and end even if no visit comes.
                    let _ = tokio::time::timeout(LONGEST_REST, rows_came.notified()).await;
                }
            };
            tokio::select! {
                () = rest => {}
                _ = closing.changed() => {}
            }
            if failed {
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }

    /// Ships all rows, and has ClickHouse erase visits.
    async fn ship(&mut self) -> Result<State, ShipError> {
        if !self.prepared {
            self.retention.prepare(&self.client).await?;
            self.prepared = true;
        }
        if let Some(salts) = &mut self.salts {
            salts.agree(&self.client, &mut self.spool).await?;
        }
        // Reads the orders before shipping, so that all rows from before them are shipped.
        let orders = erasures::orders(&self.spool)?;
        // No row arrives before it is known how its minute was sampled.
        gaps::ship(&self.client, &mut self.spool, self.random.as_ref()).await?;
        let into = format!("access_log ({})", row_binary::columns());
        while let Some(shipment) = spool::next_shipment(&mut self.spool, self.random.as_ref())? {
            let token = &shipment.token;
            let sent = self
                .client
                .insert(&into, token, shipment.rows, TIMEOUT)
                .await;
            if let Err(error) = sent {
                self.prepared = !error.is_about_missing_tables();
                return Err(error.into());
            }
            spool::arrived(&mut self.spool, token)?;
            // The spool has room again.
            self.tally.troubles.full.store(false, Ordering::Relaxed);
        }
        let state = match &mut self.erasures {
            Some(erasures) => {
                erasures
                    .work(&self.client, &mut self.spool, &orders)
                    .await?
            }
            None => State::Idle,
        };
        let give_back = if state == State::Finished {
            give_all_back
        } else {
            give_back
        };
        // Works in small steps, so that the writer gets its turn and a shutdown does not wait.
        while give_back(&self.spool)? {
            tokio::task::yield_now().await;
        }
        if state == State::Finished {
            self.erased.store(true, Ordering::Release);
        }
        Ok(state)
    }
}
