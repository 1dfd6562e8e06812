//! The amount of data.

/// The amount of data to create.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount {
    pub(crate) links: u32,
    pub(crate) visits: u32,
    /// The days over which the visits are spread, today included.
    pub(crate) days: u16,
}
