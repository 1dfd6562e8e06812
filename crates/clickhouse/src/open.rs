//! From a URL to a node that records: its spool takes visits, and its shipper sends them.

use std::{
    error::Error as StdError,
    fs::File,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::Connection;
use slugline_analytics::{
    OpenError, Pressure, QueryLimits, Recorder, RecorderOptions, RecorderPorts,
    journal::{
        lock::share,
        open::open_file,
        row_table::{Maintained, RowTable},
    },
    row::Row,
    tally::Tally,
};
use slugline_domain::{LinkId, UnixMillis};
use tokio::sync::oneshot;

use crate::{
    client::Client,
    connection::{ClickHouseTarget, ClickHouseWire},
    erasures::{self, Callers, Erasures},
    log::ClickHouseLog,
    salts::SharedSalts,
    schema::Retention,
    shipper::{Shipper, Work},
    spool,
};

/// The ClickHouse that stores visits, and the spool in which they wait for it.
#[derive(Clone, Debug)]
pub struct ClickHouseOptions {
    /// The server, the database and the account.
    pub target: ClickHouseTarget,
    /// The HTTP client.
    pub wire: Arc<dyn ClickHouseWire>,
    /// File of the spool.
    pub spool: PathBuf,
    /// The bytes that visits may take in the spool while ClickHouse is down.
    /// From half of it on they are sampled; when it is full, they are dropped
    /// and counted.
    pub spool_bytes: u64,
}

impl ClickHouseOptions {
    /// A spool of at most 1 GiB, which is some five million visits.
    pub fn new(target: ClickHouseTarget, wire: Arc<dyn ClickHouseWire>, spool: PathBuf) -> Self {
        Self {
            target,
            wire,
            spool,
            spool_bytes: 1 << 30,
        }
    }
}

/// Opens a spool for ClickHouse, creating the file if there is none, creates ClickHouse's tables
/// and starts the recorder. If ClickHouse is down, visits wait in the spool, and the tables are
/// created when it is back.
///
/// # Errors
/// The spool cannot be opened, is something else, or was written by a newer version; or ClickHouse
/// answers but refuses the account, or another server answers instead; or no thread can be started.
pub async fn start(
    options: ClickHouseOptions,
    recorder: RecorderOptions,
    ports: RecorderPorts,
) -> Result<(Recorder, ClickHouseLog), OpenError> {
    let tally = Arc::new(Tally::default());
    let ClickHouseOptions {
        target,
        wire,
        spool,
        spool_bytes,
        ..
    } = options;
    let retention = Retention::Days(recorder.retention_days);
    let client = Client::new(target.clone(), wire);
    let prepared = match retention.prepare(&client).await {
        Ok(()) => true,
        Err(source) if source.is_final() => {
            return Err(OpenError::ClickHouse {
                target: target.to_string(),
                source: source.into(),
            });
        }
        Err(error) => {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(error, %target, "ClickHouse is away; visits wait in the data folder");
            false
        }
    };
    let lock = share(&spool)?;
    let mut ship_from = open_file(&spool::FILE, &spool)?;
    let salts_changed = Arc::new(AtomicBool::new(false));
    let mut salts = SharedSalts::new(
        recorder.salt_period,
        Arc::clone(&ports.clock),
        Arc::clone(&ports.random),
        Arc::clone(&salts_changed),
    );
    if prepared && let Err(error) = salts.agree(&client, &mut ship_from).await {
        let error: &(dyn StdError + 'static) = &error;
        tracing::warn!(error, "the salts of other nodes cannot be had yet");
    }
    let (callers, erased) = (Callers::default(), Arc::new(AtomicBool::new(false)));
    let shipper = Shipper::start(Work {
        spool: ship_from,
        salts: Some(salts),
        erasures: Some(Erasures::new(callers.clone())),
        erased: Arc::clone(&erased),
        client: client.clone(),
        random: Arc::clone(&ports.random),
        retention,
        prepared,
        shutdown_timeout: recorder.shutdown_timeout,
        tally: Arc::clone(&tally),
    })
    .map_err(|source| OpenError::Thread { source })?;
    let rows = Box::new(SpoolTable::new(
        shipper,
        spool_bytes,
        salts_changed,
        (callers, erased),
        lock,
    ));
    let db = open_file(&spool::FILE, &spool)?;
    let recorder = Recorder::over((&spool, db), rows, recorder, ports, Arc::clone(&tally))?;
    let deadline = QueryLimits::default().deadline;
    let log = ClickHouseLog::new(client, deadline, tally).with_spool(spool);
    Ok((recorder, log))
}

/// The spool as the target of an appender's rows. Dropping it ends the shipper.
#[derive(Debug)]
pub(crate) struct SpoolTable {
    shipper: Shipper,
    room: u64,
    used: u64,
    salts_changed: Arc<AtomicBool>,
    callers: Callers,
    erased: Arc<AtomicBool>,
    /// Marks the spool as being written. It comes after the shipper, so that it
    /// is dropped last.
    _lock: File,
}

impl SpoolTable {
    /// Uses at most this many bytes of the file.
    pub(crate) fn new(
        shipper: Shipper,
        room: u64,
        salts_changed: Arc<AtomicBool>,
        (callers, erased): (Callers, Arc<AtomicBool>),
        lock: File,
    ) -> Self {
        Self {
            shipper,
            room,
            used: 0,
            salts_changed,
            callers,
            erased,
            _lock: lock,
        }
    }
}

impl RowTable for SpoolTable {
    fn has_room(&mut self, db: &Connection) -> Result<bool, rusqlite::Error> {
        self.used = spool::bytes(db)?;
        Ok(self.used < self.room)
    }

    fn insert(
        &mut self,
        db: &Connection,
        rows: &mut dyn Iterator<Item = Row<'_>>,
    ) -> Result<(), rusqlite::Error> {
        for row in rows {
            spool::insert(db, &row)?;
        }
        Ok(())
    }

    fn settle(&mut self, _: bool) {}

    fn erase(
        &mut self,
        db: &Connection,
        link: &LinkId,
        until: UnixMillis,
        done: oneshot::Sender<()>,
    ) -> Result<(), rusqlite::Error> {
        self.callers.add(link, until, done);
        erasures::order(db, link, until)
    }

    fn maintain(&mut self, _: &mut Connection, _: UnixMillis) -> Maintained {
        self.shipper.wake();
        Maintained {
            more: false,
            erased: self.erased.swap(false, Ordering::Acquire),
        }
    }

    fn salts_changed(&mut self) -> bool {
        // This is read far more often than written.
        self.salts_changed.load(Ordering::Relaxed)
            && self.salts_changed.swap(false, Ordering::Acquire)
    }

    fn pressure(&self) -> Pressure {
        let bytes = |number| usize::try_from(number).unwrap_or(usize::MAX);
        Pressure::of(bytes(self.used), bytes(self.room))
    }
}
