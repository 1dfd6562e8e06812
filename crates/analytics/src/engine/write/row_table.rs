//! The part of a file that rows are appended to.

use std::fmt;

use rusqlite::Connection;
use slugline_domain::UnixMillis;

use crate::{row::Row, sampling::Pressure};

/// The destination of an appender's rows. It decides about transactions; this is called
/// within them.
pub(crate) trait RowTable: fmt::Debug + Send {
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

    /// Does what needs no visit, between transactions. Says whether there is
    /// more of it.
    fn maintain(&mut self, db: &mut Connection, now: UnixMillis) -> bool;

    /// True if another process replaced salts in the file since this was
    /// last asked.
    fn salts_changed(&mut self) -> bool;

    /// The fill level, by which visits are sampled before any is dropped.
    fn pressure(&self) -> Pressure;
}
