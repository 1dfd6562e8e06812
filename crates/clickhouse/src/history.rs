//! Older visits, on their way through the spool.

use std::{
    fs::File,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use slugline_analytics::{
    OpenError, TransferError,
    journal::{lock::share, open::open_file, remains::copy_table},
    losses::table,
    row::Row,
    sampled::{self, Span},
    tally::Tally,
    transfer::{
        Parcel, Passage,
        import::{ImportBatch, Intake},
    },
};
use slugline_domain::ports::{Clock, Random};

use crate::{
    client::Client,
    error::ClickHouseError,
    open::ClickHouseOptions,
    row_binary,
    schema::Retention,
    shipper::{Shipper, Work},
    spool,
};

/// Takes older visits to ClickHouse, for commands beside the service: the spool, and its shipper.
/// Dropping it ends the shipper; the next start ships the remaining rows.
#[derive(Debug)]
pub struct History {
    spool: Connection,
    clock: Arc<dyn Clock>,
    tally: Arc<Tally>,
    shipper: Shipper,
    /// Marks the spool as being written. It comes after the shipper, so that it is dropped last.
    _lock: File,
}

impl History {
    /// Opens the spool. ClickHouse has to be there now, so that a wrong address is noticed.
    ///
    /// # Errors
    /// The spool cannot be opened, or ClickHouse cannot be used.
    pub async fn open(
        options: ClickHouseOptions,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Result<Self, OpenError> {
        let ClickHouseOptions {
            target,
            wire,
            spool,
            ..
        } = options;
        let client = Client::new(target.clone(), wire);
        let refused = |source: ClickHouseError| OpenError::ClickHouse {
            target: target.to_string(),
            source: source.into(),
        };
        Retention::AsItIs.prepare(&client).await.map_err(refused)?;
        let lock = share(&spool)?;
        let ship_from = open_file(&spool::FILE, &spool)?;
        let tally = Arc::new(Tally::default());
        let shipper = Shipper::start(Work {
            spool: ship_from,
            salts: None,
            erasures: None,
            erased: Arc::new(AtomicBool::new(false)),
            client,
            random,
            retention: Retention::AsItIs,
            prepared: true,
            shutdown_timeout: SHUTDOWN_TIMEOUT,
            tally: Arc::clone(&tally),
        })
        .map_err(|source| OpenError::Thread { source })?;
        let db = open_file(&spool::FILE, &spool)?;
        db.busy_timeout(TIMEOUT)
            .map_err(|source| OpenError::Sqlite {
                path: spool.clone(),
                source,
            })?;
        Ok(Self {
            spool: db,
            clock,
            tally,
            shipper,
            _lock: lock,
        })
    }

    /// Waits until ClickHouse has all rows that are there now.
    fn wait_until_shipped(&self) -> Result<(), TransferError> {
        let last: Option<i64> = self
            .spool
            .query_row("SELECT max(seq) FROM spool", [], |row| row.get(0))?;
        let Some(last) = last else { return Ok(()) };
        self.wait(|spool| {
            let sql = "SELECT count(*) = 0 FROM spool WHERE seq <= ?1";
            spool.query_row(sql, [last], |row| row.get(0))
        })
    }

    fn wait(
        &self,
        done: impl Fn(&Connection) -> Result<bool, rusqlite::Error>,
    ) -> Result<(), TransferError> {
        const PAUSE: Duration = Duration::from_millis(20);

        self.shipper.wake();
        let mut stalled_since = None;
        while !done(&self.spool)? {
            let stalled = self.tally.troubles.not_shipping.load(Ordering::Relaxed);
            let since = stalled.then(|| stalled_since.unwrap_or_else(Instant::now));
            if since.is_some_and(|since| since.elapsed() > STALLED) {
                let seconds = STALLED.as_secs();
                let text = format!("ClickHouse has taken no visits for {seconds} seconds");
                return Err(TransferError::Stalled(text));
            }
            stalled_since = since;
            thread::sleep(PAUSE);
        }
        Ok(())
    }
}

impl Intake for History {
    fn db(&self) -> &Connection {
        &self.spool
    }

    fn store(&mut self, batch: &ImportBatch<'_>) -> Result<bool, TransferError> {
        self.wait_for_room()?;
        let tx = begin(&self.spool)?;
        if batch.is_in(&tx)? {
            return Ok(false);
        }
        let now = self.clock.now();
        for row in batch.rows() {
            let row = row_binary::encode_imported(&row, now);
            spool::insert_encoded(&tx, &row)?;
        }
        batch.mark(&tx)?;
        tx.commit()?;
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), TransferError> {
        self.wait_until_shipped()
    }
}

impl Passage for History {
    fn encode(&self, row: &Row<'_>) -> Vec<u8> {
        row_binary::encode(row)
    }

    fn take(&self, token: &str, content: &Parcel<'_>) -> Result<(), TransferError> {
        let tx = begin(&self.spool)?;
        if note(&tx, token)? {
            match content {
                Parcel::Losses(losses) => table::save(&tx, losses)?,
                Parcel::Rows(rows) => {
                    for row in rows {
                        spool::insert_encoded(&tx, row)?;
                    }
                }
            }
        }
        Ok(tx.commit()?)
    }

    fn take_sampled(&self, spans: &[Span]) -> Result<(), TransferError> {
        let tx = begin(&self.spool)?;
        sampled::table::save(&tx, spans.iter())?;
        Ok(tx.commit()?)
    }

    /// Tells the shipper about rows, and waits until the spool has room for visits that happen now.
    /// Gives up when ClickHouse has accepted nothing for long.
    fn wait_for_room(&self) -> Result<(), TransferError> {
        self.wait(|spool| Ok(spool::bytes(spool)? < BACKLOG))
    }

    fn finish(&self) -> Result<(), TransferError> {
        self.wait_until_shipped()
    }
}

/// The tokens of batches that moved here.
const ARRIVED: &str =
    "CREATE TABLE IF NOT EXISTS arrived (token TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;";

/// Notes the token of a batch that moved here from an embedded log. Returns whether it is new.
fn note(spool: &Connection, token: &str) -> Result<bool, rusqlite::Error> {
    spool.execute_batch(ARRIVED)?;
    let new = spool.execute("INSERT OR IGNORE INTO arrived (token) VALUES (?1)", [token])?;
    Ok(new == 1)
}

/// Copies the tokens of a damaged spool to a new one. Returns a description of the loss.
pub(crate) fn copy_tokens(
    old: &Connection,
    new: &Connection,
) -> Result<Option<String>, rusqlite::Error> {
    let complete = copy_table(old, new, "arrived", ARRIVED)?;
    Ok((!complete).then(|| "which visits had been moved here; one batch may come twice".into()))
}

fn begin(db: &Connection) -> Result<Transaction<'_>, rusqlite::Error> {
    Transaction::new_unchecked(db, TransactionBehavior::Immediate)
}

/// The time that a transaction waits for one of the service beside it.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of the spool above which a command waits. Visits that happen now are sampled when their
/// spool is half full.
const BACKLOG: u64 = 48 << 20;

/// The timeout of a command while ClickHouse accepts nothing.
const STALLED: Duration = Duration::from_mins(1);

const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);
