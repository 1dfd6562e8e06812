//! The way of an embedded log's visits into another engine.

use std::fmt;

use super::error::TransferError;
use crate::{losses::Loss, row::Row};

/// The engine that visits move to.
pub trait Passage: fmt::Debug {
    /// A row in the engine's own form, and the number of that form, which is above 0.
    fn encode(&self, row: &Row<'_>) -> (u32, Vec<u8>);

    /// Takes a batch, unless one with this token came before.
    ///
    /// # Errors
    /// Nothing of the batch is taken.
    fn take(&self, token: &str, content: &Parcel<'_>) -> Result<(), TransferError>;

    /// Waits until the engine has room for another batch.
    ///
    /// # Errors
    /// The engine takes nothing.
    fn wait_for_room(&self) -> Result<(), TransferError>;

    /// Waits until the engine has everything.
    ///
    /// # Errors
    /// As with [`Passage::wait_for_room`].
    fn finish(&self) -> Result<(), TransferError>;
}

/// A batch on its way.
#[derive(Clone, Debug)]
pub enum Parcel<'p> {
    /// Rows in a form of the engine.
    Rows {
        /// The number of the form.
        format: u32,
        /// Each row.
        rows: Vec<&'p [u8]>,
    },
    /// Visits that were never stored.
    Losses(Vec<Loss>),
}
