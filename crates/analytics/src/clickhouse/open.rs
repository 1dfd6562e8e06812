//! From a URL to a working engine.

use std::{
    error::Error as StdError,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use super::{
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
use crate::{
    OpenError, QueryLimits, RecorderOptions, RecorderPorts,
    engine::{Appender, open_file, share},
    tally::Tally,
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

/// Opens both ends: the spool for writing, ClickHouse for questions.
pub(crate) async fn open(
    options: ClickHouseOptions,
    recorder: &RecorderOptions,
    ports: RecorderPorts,
    tally: Arc<Tally>,
) -> Result<(Appender, ClickHouseLog), OpenError> {
    let ClickHouseOptions {
        target,
        wire,
        spool,
        spool_bytes,
    } = options;
    let retention = Retention::Days(recorder.retention_days);
    let client = Client::new(target.clone(), wire);
    let prepared = match retention.prepare(&client).await {
        Ok(()) => true,
        Err(source) if source.is_final() => {
            return Err(OpenError::ClickHouse {
                target: target.to_string(),
                source,
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
        erasures: Erasures::new(callers.clone()),
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
    let appender = Appender::over(db, rows, recorder, ports, Arc::clone(&tally));
    let appender = appender.map_err(|source| OpenError::Sqlite {
        path: spool,
        source,
    })?;
    let deadline = QueryLimits::default().deadline;
    Ok((appender, ClickHouseLog::new(client, deadline, tally)))
}
