//! The part of a file to which rows are appended.

use std::fmt;

use rusqlite::Connection;
use slugline_domain::{LinkId, UnixMillis};
use tokio::sync::oneshot;

use crate::{row::Row, sampling::Pressure};

/// The result of a piece of maintenance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Maintained {
    /// True if there is more to do.
    pub more: bool,
    /// True if the write-ahead log may still contain erased rows.
    pub erased: bool,
}

/// The rows of an engine, to which an appender adds. The appender controls transactions and calls
/// these methods within them.
pub trait RowTable: fmt::Debug + Send {
    /// Returns whether there is room for a batch. A batch without room is dropped.
    fn has_room(&mut self, db: &Connection) -> Result<bool, rusqlite::Error>;

    /// Adds the rows of a batch, in order of arrival.
    fn insert(
        &mut self,
        db: &Connection,
        rows: &mut dyn Iterator<Item = Row<'_>>,
    ) -> Result<(), rusqlite::Error>;

    /// Tells that the transaction that added rows is durable, or was rolled back.
    fn settle(&mut self, durable: bool);

    /// Erases the visits that a link has so far: those added before, and those of other nodes up to
    /// this moment. The engine sends `done` when no answer contains the visits, even after a
    /// restart of the database that answers; the order may be durable long before.
    fn erase(
        &mut self,
        db: &Connection,
        link: &LinkId,
        until: UnixMillis,
        done: oneshot::Sender<()>,
    ) -> Result<(), rusqlite::Error>;

    /// Does work that needs no visit, between transactions.
    fn maintain(&mut self, db: &mut Connection, now: UnixMillis) -> Maintained;

    /// Returns whether another process has replaced salts in the file since the last call.
    fn salts_changed(&mut self) -> bool;

    /// The fill level. Sampling uses it, so that visits are sampled before any is dropped.
    fn pressure(&self) -> Pressure;
}
