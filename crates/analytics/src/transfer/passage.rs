//! The way of an embedded log's visits into another engine.

use std::fmt;

use super::error::TransferError;
use crate::{losses::Loss, row::Row, sampled::Span};

/// The engine that visits move to.
pub trait Passage: fmt::Debug {
    /// Encodes a row in a format of the engine. Returns the number of the format, which is above 0,
    /// and the bytes.
    fn encode(&self, row: &Row<'_>) -> (u32, Vec<u8>);

    /// Takes a batch, unless the engine took one with this token before.
    ///
    /// # Errors
    /// The engine took nothing of the batch.
    fn take(&self, token: &str, content: &Parcel<'_>) -> Result<(), TransferError>;

    /// Takes spans in which visits were sampled. Taking them again changes nothing.
    ///
    /// # Errors
    /// The engine took none of them.
    fn take_sampled(&self, spans: &[Span]) -> Result<(), TransferError>;

    /// Waits until the engine has room for another batch.
    ///
    /// # Errors
    /// The engine accepts nothing.
    fn wait_for_room(&self) -> Result<(), TransferError>;

    /// Waits until the engine has everything.
    ///
    /// # Errors
    /// As with [`Passage::wait_for_room`].
    fn finish(&self) -> Result<(), TransferError>;
}

/// A batch for the engine.
#[derive(Clone, Debug)]
pub enum Parcel<'p> {
    /// Rows in a format of the engine.
    Rows {
        /// The number of the format.
        format: u32,
        /// Each row.
        rows: Vec<&'p [u8]>,
    },
    /// Visits that were never stored.
    Losses(Vec<Loss>),
}
