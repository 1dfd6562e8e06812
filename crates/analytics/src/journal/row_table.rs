//! The part of a file that rows are appended to.

use std::fmt;

use rusqlite::Connection;
use slugline_domain::{LinkId, UnixMillis};
use tokio::sync::oneshot;

use crate::{row::Row, sampling::Pressure};

/// The result of a piece of maintenance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Maintained {
    /// There is more to do.
    pub more: bool,
    /// Rows were erased that may still stand in the write-ahead log.
    pub erased: bool,
}

/// The destination of an appender's rows. It decides about transactions; this is called
/// within them.
pub trait RowTable: fmt::Debug + Send {
    /// True if there is room for a batch. A batch without room is dropped.
    fn has_room(&mut self, db: &Connection) -> Result<bool, rusqlite::Error>;

    /// Adds the rows of a batch, in order of arrival.
    fn insert(
        &mut self,
        db: &Connection,
        rows: &mut dyn Iterator<Item = Row<'_>>,
    ) -> Result<(), rusqlite::Error>;

    /// The transaction that added rows is durable, or was rolled back.
    fn settle(&mut self, durable: bool);

    /// Erases the visits that a link has so far: those added before, and of other nodes those
    /// from up to this moment. `done` is sent when no answer has them any more, also after a
    /// restart of the database that answers; it may be durable long before.
    fn erase(
        &mut self,
        db: &Connection,
        link: &LinkId,
        until: UnixMillis,
        done: oneshot::Sender<()>,
    ) -> Result<(), rusqlite::Error>;

    /// Does what needs no visit, between transactions.
    fn maintain(&mut self, db: &mut Connection, now: UnixMillis) -> Maintained;

    /// True if another process replaced salts in the file since this was
    /// last asked.
    fn salts_changed(&mut self) -> bool;

    /// The fill level, by which visits are sampled before any is dropped.
    fn pressure(&self) -> Pressure;
}
