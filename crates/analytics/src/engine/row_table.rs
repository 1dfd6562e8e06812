//! The part of a file that rows are appended to.

use std::fmt;

use rusqlite::Connection;
use slugline_domain::UnixMillis;

use crate::{row::Row, sampling::Pressure};

/// Where an appender's rows go. It decides about transactions; this is called
/// within them.
pub(crate) trait RowTable: fmt::Debug + Send {
    /// Whether there is room for a batch. What there is no room for is dropped.
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

    /// Whether salts in the file were replaced by somebody else since this was
    /// last asked.
    fn salts_changed(&mut self) -> bool;

    /// How full it is, by which visits are sampled before any is dropped.
    fn pressure(&self) -> Pressure;
}
