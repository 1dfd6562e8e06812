//! What the instance must allow before an operation runs.
//!
//! The rule of an operation stands beside its use case, such as
//! [`LinkService::EDIT`](crate::LinkService::EDIT). Two callers ask for it. The use case
//! asks first thing, so it refuses whoever calls it. An adapter asks before it looks at
//! an input, so a caller who may not do a thing at all hears that and not what is wrong
//! with the input; it also documents the errors that follow from the rule. Adapters alone
//! ask for the rules of suggestions and of running a migration, because the operator's
//! own commands run a migration in preview mode too.

use crate::preview::Forbidden;

/// What the instance must allow before an operation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: the operation always runs.
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
