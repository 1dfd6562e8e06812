//! The outcome of an erasure.

/// The outcome of erasing the visits of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erasure {
    /// No answer has the visits any more.
    Done,
    /// The order is stored and will be carried out, also after a restart. Until then answers may
    /// have the visits, because the database that answers is away or slow.
    Kept,
}
