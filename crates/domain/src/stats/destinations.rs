//! The destinations that a question may show.

use crate::Protection;

/// The destinations that the asker may see. A hidden one is the empty text, wherever a question
/// shows it, counts by it or has a condition on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Destinations {
    /// Every destination.
    #[default]
    All,
    /// Destinations that were behind no password when their visits were recorded. A visit that does
    /// not say so, as an imported one may, counts as one behind a password.
    Unprotected,
}

impl Destinations {
    /// Returns whether the destination of a visit is shown.
    pub fn show(self, protection: Protection) -> bool {
        self == Self::All || protection == Protection::None
    }
}
