//! The destinations that a question may show.

use std::{collections::BTreeSet, sync::Arc};

use crate::{LinkId, Protection};

/// The destinations that the asker may see. A hidden one is the empty text, wherever a question
/// shows it, counts by it or has a condition on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Destinations {
    /// Every destination.
    #[default]
    All,
    /// Destinations that were behind no password when their visits were recorded.
    Unprotected {
        /// Older visits do not state whether their link had a password. Those of these links show
        /// their destination.
        unrecorded: Arc<BTreeSet<LinkId>>,
    },
}

impl Destinations {
    /// Those without a password, and none of visits that do not say whether there was one.
    pub fn unprotected() -> Self {
        Self::Unprotected {
            unrecorded: Arc::default(),
        }
    }

    /// Returns whether the destination of a visit is shown.
    pub fn show(&self, protection: Protection) -> bool {
        match self {
            Self::All => true,
            Self::Unprotected { .. } => protection == Protection::None,
        }
    }
}
