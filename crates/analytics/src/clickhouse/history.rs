//! Visits of before, on their way through the spool.

use std::{
    fs::File,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use slugline_domain::ports::Random;
use thiserror::Error;

use super::{
    ClickHouseOptions,
    client::Client,
    erasures::{Callers, Erasures},
    row_binary,
    schema::Retention,
    shipper::{Shipper, Work},
    spool,
};
use crate::{
    OpenError,
    engine::{open_file, share},
    row::Row,
    tally::Tally,
};

/// The way of visits of before into ClickHouse, for commands beside the service: the spool, and
/// its shipper. Dropping it ends the shipper; rows that are left are shipped at the next start.
#[derive(Debug)]
pub(crate) struct History {
    pub(crate) spool: Connection,
    pub(crate) tally: Arc<Tally>,
    shipper: Shipper,
    /// Marks the spool as being written. It comes after the shipper, so that it is dropped last.
    _lock: File,
}

impl History {
    /// Opens the spool. ClickHouse has to be there now, so that a wrong address is noticed.
    pub(crate) async fn open(
        options: ClickHouseOptions,
        random: Arc<dyn Random>,
    ) -> Result<Self, OpenError> {
        let ClickHouseOptions {
            target,
            wire,
            spool,
            ..
        } = options;
        let client = Client::new(target.clone(), wire);
        Retention::AsItIs
            .prepare(&client)
            .await
            .map_err(|source| OpenError::ClickHouse {
                target: target.to_string(),
                source,
            })?;
        let lock = share(&spool)?;
        let ship_from = open_file(&spool::FILE, &spool)?;
        let tally = Arc::new(Tally::default());
        let shipper = Shipper::start(Work {
            spool: ship_from,
            salts: None,
            erasures: Erasures::new(Callers::default()),
            erased: Arc::new(AtomicBool::new(false)),
            client,
            random,
            retention: Retention::AsItIs,
            prepared: true,
            shutdown_timeout: SHUTDOWN_TIMEOUT,
            tally: Arc::clone(&tally),
        })
        .map_err(|source| OpenError::Thread { source })?;
        Ok(Self {
            spool: open_file(&spool::FILE, &spool)?,
            tally,
            shipper,
            _lock: lock,
        })
    }

    /// Adds rows, within a transaction of the caller. They are shipped when it has ended.
    pub(crate) fn insert<'r>(
        &self,
        rows: impl Iterator<Item = Row<'r>>,
    ) -> Result<(), rusqlite::Error> {
        for row in rows {
            spool::insert(&self.spool, &row)?;
        }
        Ok(())
    }

    /// Adds rows that were encoded before, within a transaction of the caller.
    pub(crate) fn insert_encoded<'r>(
        &self,
        format: u32,
        rows: impl Iterator<Item = &'r [u8]>,
    ) -> Result<(), rusqlite::Error> {
        rows.into_iter()
            .try_for_each(|row| spool::insert_encoded(&self.spool, format, row))
    }

    /// Tells the shipper about rows, and waits until so few bytes wait for ClickHouse that those
    /// of visits that happen now have room. Gives up when ClickHouse has taken nothing for long.
    pub(crate) fn wait_for_room(&self) -> Result<(), Stalled> {
        self.wait(|spool| Ok(spool::bytes(spool)? < BACKLOG))
    }

    /// Waits until ClickHouse has all rows that are there now.
    pub(crate) fn wait_until_shipped(&self) -> Result<(), Stalled> {
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
    ) -> Result<(), Stalled> {
        const PAUSE: Duration = Duration::from_millis(20);

        self.shipper.wake();
        let mut stalled_since = None;
        while !done(&self.spool)? {
            let stalled = self.tally.troubles.not_shipping.load(Ordering::Relaxed);
            let since = stalled.then(|| stalled_since.unwrap_or_else(Instant::now));
            if since.is_some_and(|since| since.elapsed() > STALLED) {
                return Err(Stalled::Refused);
            }
            stalled_since = since;
            thread::sleep(PAUSE);
        }
        Ok(())
    }
}

/// A row as a spool takes it, and its format.
pub(crate) fn encode(row: &Row<'_>) -> (u32, Vec<u8>) {
    (row_binary::format(), row_binary::encode(row))
}

/// Bytes of the spool above which a command waits. Visits that happen now are sampled when their
/// spool is half full.
const BACKLOG: u64 = 48 << 20;

/// The timeout of a command while ClickHouse takes nothing.
const STALLED: Duration = Duration::from_mins(1);

const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Why waiting for ClickHouse has no sense.
#[derive(Debug, Error)]
pub enum Stalled {
    /// ClickHouse has taken nothing for a minute.
    #[error("ClickHouse has taken no visits for {} seconds", STALLED.as_secs())]
    Refused,
    /// The spool cannot be read.
    #[error("the spool cannot be read")]
    Spool(#[from] rusqlite::Error),
}
