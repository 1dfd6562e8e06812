//! From a URL to a working engine.

use std::{
    error::Error as StdError,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use slugline_analytics::{
    OpenError, QueryLimits, Recorder, RecorderOptions, RecorderPorts,
    journal::{lock::share, open::open_file},
    tally::Tally,
};

use crate::{
    client::Client,
    erasures::{Callers, Erasures},
    inlet::Inlet,
    log::ClickHouseLog,
    salts::SharedSalts,
    schema::Retention,
    shipper::{Shipper, Work},
    spool,
    target::ClickHouseTarget,
    wire::ClickHouseWire,
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
    let rows = Box::new(Inlet::new(
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
