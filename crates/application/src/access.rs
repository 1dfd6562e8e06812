//! The conditions that the instance sets before an operation runs.
//!
//! The rule of an operation stands beside its use case, such as
//! [`LinkService::EDIT`](crate::LinkService::EDIT). The use case checks it first, so
//! every caller is checked. An adapter checks it before it reads an input, so a caller
//! without access gets that refusal and not an error about the input. The adapter also
//! documents the errors that follow from the rule. Only adapters check the rules of
//! suggestions and of running a migration, because the operator's own commands run a
//! migration in preview mode too.

use crate::preview::Forbidden;

/// The condition that the instance sets before an operation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No condition: the operation always runs.
    Open,
    /// Every link has been moved here.
    Links,
    /// Preview mode is off, and every link has been moved here if the action needs links.
    OutsidePreview(Forbidden),
}

impl Access {
    /// True when the operation waits until every link has been moved here.
    pub const fn needs_links(self) -> bool {
        match self {
            Self::Open => false,
            Self::Links => true,
            Self::OutsidePreview(action) => action.needs_links(),
        }
    }

    /// The action that preview mode forbids; `None` when it forbids nothing.
    pub const fn forbidden_in_preview(self) -> Option<Forbidden> {
        match self {
            Self::Open | Self::Links => None,
            Self::OutsidePreview(action) => Some(action),
        }
    }
}
