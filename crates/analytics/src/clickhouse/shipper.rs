//! The thread that takes rows from the spool to ClickHouse.
//!
//! It has a runtime of its own, so that it works wherever the recorder is
//! started, and no request of a visitor waits for it.

use std::{
    error::Error as StdError,
    io,
    num::NonZeroU32,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use rusqlite::Connection;
use slugline_domain::ports::Random;
use thiserror::Error;
use tokio::sync::{Notify, watch};

use super::{
    client::Client, error::ClickHouseError, row_binary::COLUMNS, salts::SharedSalts, schema, spool,
};

/// Time for one shipment. A server that merges or is short of memory is slow,
/// and giving up early would only have it do the work again.
const PATIENCE: Duration = Duration::from_mins(1);

/// Pauses while ClickHouse is away: the first, doubled up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// How long to rest when there are no rows.
const LONGEST_REST: Duration = Duration::from_mins(10);

/// The thread, from outside. Dropping it has the thread ship what it can in
/// the time it is given; the rest stays in the spool for the next start.
#[derive(Debug)]
pub(super) struct Shipper {
    rows_came: Arc<Notify>,
    closing: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread works with.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) spool: Connection,
    pub(super) client: Client,
    pub(super) random: Arc<dyn Random>,
    pub(super) retention_days: Option<NonZeroU32>,
    /// Whether the tables are known to be there.
    pub(super) prepared: bool,
    pub(super) salts: SharedSalts,
    /// Time for the last rows at the end.
    pub(super) shutdown_patience: Duration,
}

impl Shipper {
    pub(super) fn start(mut work: Work) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let rows_came = Arc::new(Notify::new());
        let (closing, closed) = watch::channel(false);
        let patience = work.shutdown_patience;
        let wake = Arc::clone(&rows_came);
        let thread = thread::Builder::new()
            .name("access-log-shipper".into())
            .spawn(move || {
                let mut over = closed.clone();
                runtime.block_on(async {
                    tokio::select! {
                        () = work.run(&wake, closed) => {}
                        () = async {
                            // The sender goes away only after it has sent.
                            let _ = over.wait_for(|closing| *closing).await;
                            tokio::time::sleep(patience).await;
                        } => {}
                    }
                });
            })?;
        Ok(Self {
            rows_came,
            closing,
            thread: Some(thread),
        })
    }

    /// There are new rows.
    pub(super) fn wake(&self) {
        self.rows_came.notify_one();
    }
}

impl Drop for Shipper {
    fn drop(&mut self) {
        let _ = self.closing.send(true);
        let thread = self.thread.take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that ships visits to ClickHouse panicked");
        }
    }
}

impl Work {
    async fn run(&mut self, rows_came: &Notify, mut closing: watch::Receiver<bool>) {
        let mut pause = FIRST_PAUSE;
        let mut failed = false;
        loop {
            let last = *closing.borrow_and_update();
            match self.ship().await {
                Ok(()) => {
                    if failed {
                        tracing::info!("ClickHouse takes visits again");
                    }
                    (failed, pause) = (false, FIRST_PAUSE);
                }
                Err(error) => {
                    let error: &(dyn StdError + 'static) = &error;
                    if !failed {
                        tracing::warn!(
                            error,
                            "ClickHouse takes no visits; they wait in the data folder"
                        );
                    }
                    failed = true;
                }
            }
            if last {
                return;
            }
            let rest = async {
                if failed {
                    tokio::time::sleep(pause).await;
                } else {
                    // The salt of a coming period is due also when nobody comes.
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

    /// Ships everything there is.
    async fn ship(&mut self) -> Result<(), ShipError> {
        if !self.prepared {
            schema::prepare(&self.client, self.retention_days).await?;
            self.prepared = true;
        }
        self.salts.agree(&self.client, &mut self.spool).await?;
        let into = format!("access_log ({COLUMNS})");
        while let Some(shipment) = spool::next_shipment(&mut self.spool, self.random.as_ref())? {
            let token = &shipment.token;
            let sent = self
                .client
                .insert(&into, token, shipment.rows, PATIENCE)
                .await;
            if let Err(error) = sent {
                self.prepared = !error.is_about_missing_tables();
                return Err(error.into());
            }
            spool::arrived(&mut self.spool, token)?;
        }
        spool::give_back(&self.spool)?;
        Ok(())
    }
}

/// Why rows stay where they are.
#[derive(Debug, Error)]
pub(super) enum ShipError {
    #[error("the spool cannot be read or written")]
    Spool(#[from] rusqlite::Error),
    #[error("visits cannot be sent")]
    ClickHouse(#[from] ClickHouseError),
}
