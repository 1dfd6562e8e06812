//! The spool as the target of an appender's rows.

use std::{
    fs::File,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::Connection;
use slugline_analytics::{
    Pressure,
    journal::row_table::{Maintained, RowTable},
    row::Row,
};
use slugline_domain::{LinkId, UnixMillis};
use tokio::sync::oneshot;

use crate::{
    erasures::{self, Callers},
    shipper::Shipper,
    spool,
};

/// The entrance of the spool for visits. Dropping it ends the shipper.
#[derive(Debug)]
pub(crate) struct Inlet {
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

impl Inlet {
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

impl RowTable for Inlet {
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
