//! The conditions of an operation: the scope that the caller needs, and what the instance sets.
//! A public demonstration, in preview mode, forbids some: any visitor may use it, and it keeps nothing.
//!
//! The rule of an operation stands beside its use case, such as
//! [`LinkService::EDIT`](crate::LinkService::EDIT). Routes and tools name it, and
//! [`App::permit`](crate::App::permit) checks it, caller and instance, before an adapter reads
//! an input. So a caller without access gets that refusal and not an error about the input.
//! The use case checks the instance's part again, for callers that are no adapters. The adapter
//! also documents the errors that follow from the rule. Only adapters check the rules of
//! suggestions and of running a migration, because the operator's own commands run a
//! migration in preview mode too.

use slugline_domain::{Scope, UnixSeconds};

/// The conditions of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    scope: Option<Scope>,
    condition: Condition,
}

/// The part of the conditions that the instance sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// The operation always runs.
    None,
    /// Every link has been moved here.
    Links,
    /// Preview mode is off, and every link has been moved here if the action needs links.
    OutsidePreview(Forbidden),
}

impl Access {
    /// No condition. Below `/api/` every token will do; elsewhere none is needed.
    pub const OPEN: Self = Self {
        scope: None,
        condition: Condition::None,
    };

    /// Every link has been moved here; the caller needs no scope for that alone.
    pub const LINKS_ARE_HERE: Self = Self {
        scope: None,
        condition: Condition::Links,
    };

    /// The caller has this scope.
    pub const fn always(scope: Scope) -> Self {
        Self {
            scope: Some(scope),
            condition: Condition::None,
        }
    }

    /// The caller has this scope, and every link has been moved here.
    pub const fn with_links(scope: Scope) -> Self {
        Self {
            scope: Some(scope),
            condition: Condition::Links,
        }
    }

    /// The caller has this scope, preview mode is off, and every link has been moved here if
    /// the action needs links.
    pub const fn outside_preview(scope: Scope, action: Forbidden) -> Self {
        Self {
            scope: Some(scope),
            condition: Condition::OutsidePreview(action),
        }
    }

    /// No client sends a token, and preview mode is off.
    pub const fn without_token(action: Forbidden) -> Self {
        Self {
            scope: None,
            condition: Condition::OutsidePreview(action),
        }
    }

    /// The scope that the caller needs; `None` if any caller will do.
    pub const fn scope(self) -> Option<Scope> {
        self.scope
    }

    /// True when the operation waits until every link has been moved here.
    pub const fn needs_links(self) -> bool {
        match self.condition {
            Condition::None => false,
            Condition::Links => true,
            Condition::OutsidePreview(action) => action.needs_links(),
        }
    }

    /// The action that preview mode forbids; `None` when it forbids nothing.
    pub const fn forbidden_in_preview(self) -> Option<Forbidden> {
        match self.condition {
            Condition::None | Condition::Links => None,
            Condition::OutsidePreview(action) => Some(action),
        }
    }
}

/// Tells if an instance is a public demonstration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreviewMode {
    /// The instance is no demonstration.
    #[default]
    Off,
    /// The instance is a demonstration. The token is public, so links expire soon, every
    /// destination is screened even if the author calls it safe, and every [`Forbidden`]
    /// action is refused.
    On,
}

/// An action that preview mode forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// Changing links.
    Edit,
    /// Deleting links.
    Delete,
    /// Importing links.
    Import,
    /// Exporting links, with stored passwords.
    Export,
    /// Explaining what visitors of a link get.
    Explain,
    /// Asking destinations whether they answer.
    Check,
    /// Suggesting slugs and previews.
    Suggest,
    /// Moving links here from an older instance.
    Migrate,
    /// Listing, making and revoking tokens.
    Tokens,
    /// Erasing visits.
    EraseVisits,
    /// Naming, editing and taking away domains.
    Domains,
    /// Reading former versions of links and the trash, and bringing links back.
    History,
}

impl Forbidden {
    /// Returns whether the action needs every link to be here.
    pub(crate) const fn needs_links(self) -> bool {
        match self {
            Self::Edit
            | Self::Delete
            | Self::Import
            | Self::Export
            | Self::Explain
            | Self::Check
            | Self::EraseVisits
            | Self::Domains
            | Self::History => true,
            Self::Suggest | Self::Migrate | Self::Tokens => false,
        }
    }
}

impl PreviewMode {
    /// The lifetime of a link in preview mode, in seconds.
    pub const LIFETIME_SECONDS: i64 = 300;

    pub(crate) fn end_of_link(self, made: UnixSeconds) -> Option<UnixSeconds> {
        match self {
            Self::Off => None,
            Self::On => UnixSeconds::new(made.get().saturating_add(Self::LIFETIME_SECONDS)).ok(),
        }
    }

    /// Returns whether the token is public, so that any stranger can be the author of a
    /// link.
    pub(crate) fn distrusts_authors(self) -> bool {
        self == Self::On
    }

    /// Refuses the action in preview mode.
    pub(crate) fn permit(self, action: Forbidden) -> Result<(), Forbidden> {
        match self {
            Self::Off => Ok(()),
            Self::On => Err(action),
        }
    }
}
