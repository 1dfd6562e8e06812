//! What the instance must allow before an operation runs: one rule per
//! operation.
//!
//! Two callers ask. Every use case of links asks first thing, so it refuses
//! whoever calls it. An adapter asks with the same value before it looks at an
//! input, so that a caller who may not do a thing at all hears that and not what
//! is wrong with the input, and it documents the errors that follow from the
//! value. Only the operator's own commands run a migration in preview mode,
//! which is why [`Access::Migrate`] and [`Access::Suggest`] are asked by
//! adapters alone.

use crate::preview::Forbidden;

/// What the instance must allow before an operation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: the operation always runs.
    Open,
    /// Every link has been moved here.
    Links,
    /// As for [`Access::Links`], and links may be changed.
    Edit,
    /// As for [`Access::Links`], and links may be deleted.
    Delete,
    /// As for [`Access::Links`], and links may be imported.
    Import,
    /// As for [`Access::Links`], and links may be exported.
    Export,
    /// As for [`Access::Links`], and destinations may be asked.
    Check,
    /// The language model may be asked.
    Suggest,
    /// Callers of the API may move links here.
    Migrate,
}

impl Access {
    /// True when the operation waits until every link has been moved here.
    pub const fn needs_links(self) -> bool {
        match self {
            Self::Links | Self::Edit | Self::Delete | Self::Import | Self::Export | Self::Check => {
                true
            }
            Self::Open | Self::Suggest | Self::Migrate => false,
        }
    }

    /// The action that preview mode forbids; `None` when it forbids nothing.
    pub const fn forbidden_in_preview(self) -> Option<Forbidden> {
        match self {
            Self::Open | Self::Links => None,
            Self::Edit => Some(Forbidden::Edit),
            Self::Delete => Some(Forbidden::Delete),
            Self::Import => Some(Forbidden::Import),
            Self::Export => Some(Forbidden::Export),
            Self::Check => Some(Forbidden::Check),
            Self::Suggest => Some(Forbidden::Suggest),
            Self::Migrate => Some(Forbidden::Migrate),
        }
    }
}
