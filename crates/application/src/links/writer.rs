//! The use cases of links that change something, for one caller, and the terms of a change.

use std::{ops::Deref, time::Instant};

use slugline_domain::{
    AuditNote, AuditedOperation, Author, ForwardingFault, ForwardingReason, Link, LinkKey, Scope,
    ports::Version,
};

use super::{LinkReader, LinkService};
use crate::{
    caller::{Caller, SeenLink},
    error::Error,
};

/// The use cases of links, and those that change links, for one caller. Each change leaves a line
/// with the author's name in the audit trail.
#[derive(Clone, Debug)]
pub struct LinkWriter {
    reader: LinkReader,
    pub(super) caller: Caller,
    author: Author,
}

impl LinkService {
    /// Returns the use cases that change links for this caller, in the name of this author.
    pub fn by(&self, caller: Caller, author: Author) -> LinkWriter {
        LinkWriter {
            reader: self.seen_by(&caller),
            caller,
            author,
        }
    }
}

impl LinkWriter {
    /// Returns the note of a change at the present moment.
    pub(super) fn note(&self, operation: AuditedOperation) -> AuditNote {
        AuditNote::new(self.now(), &self.author, operation)
    }

    /// Counts writes in the budget of the caller's token. A use case calls it before it does
    /// anything, also for what changes nothing in the end.
    pub(super) fn spend(&self, writes: usize) -> Result<(), Error> {
        let budget = &self.parts.writes;
        budget.spend(&self.caller, writes, Instant::now())
    }

    /// Checks that the caller may read links too, for a change whose answer tells about them.
    pub(super) fn may_read(&self) -> Result<(), Error> {
        Ok(self.caller.may(Scope::LinksRead)?)
    }

    /// Checks that the caller may administer the instance, for a change that cannot be undone.
    pub(super) fn may_administer(&self) -> Result<(), Error> {
        Ok(self.caller.may(Scope::Admin)?)
    }

    /// Returns a fault as far as the caller may see it: a destination that the link has tells what
    /// is in it.
    pub(super) fn told(&self, fault: ForwardingFault) -> ForwardingFault {
        if self.may_read().is_ok() || matches!(fault.reason, ForwardingReason::Kept(_)) {
            fault
        } else {
            ForwardingReason::Hidden.of("forwardPath")
        }
    }

    /// Returns as much of a link as the caller may see.
    pub(super) fn seen(&self, link: Link) -> SeenLink {
        match self.may_read() {
            Ok(()) => self.made(link),
            Err(_) => SeenLink::Key(link.key, link.revision),
        }
    }

    /// Returns the link that the caller has just made, who sees all of it.
    pub(super) fn made(&self, link: Link) -> SeenLink {
        let note = self.note_on([&link]);
        SeenLink::Whole(Box::new(link), note)
    }
}

impl Deref for LinkWriter {
    type Target = LinkReader;

    fn deref(&self) -> &LinkReader {
        &self.reader
    }
}

/// Counts the attempts to change a link. Each loses only to a change that succeeded.
#[derive(Debug, Default)]
pub(super) struct Attempts(usize);

impl Attempts {
    /// False if another caller changed the link meanwhile and another attempt is due.
    pub(super) fn end_with<T>(&mut self, outcome: &Result<T, Error>) -> bool {
        const MOST: usize = 5;
        self.0 += 1;
        self.0 == MOST || !matches!(outcome, Err(Error::Outdated(_)))
    }
}

/// The versions of a link that a change is meant for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Precondition {
    /// Any version, or no link.
    #[default]
    None,
    /// Any version, as long as there is a link.
    Exists,
    /// One of these versions.
    OneOf(Vec<Version>),
}

impl Precondition {
    /// Checks the current link.
    ///
    /// # Errors
    /// The link is none of the versions that the change is meant for.
    pub(super) fn check(&self, link: &Link, writer: &LinkWriter) -> Result<(), Error> {
        match self {
            Self::None | Self::Exists => Ok(()),
            Self::OneOf(versions) if versions.contains(&Version::of(link)) => Ok(()),
            Self::OneOf(_) => Err(Error::PreconditionFailed {
                key: link.key.clone(),
                current: Some(writer.seen(link.clone())),
            }),
        }
    }

    /// Checks that the precondition of a deletion holds when there is no link.
    ///
    /// # Errors
    /// The deletion requires a link.
    pub(super) fn check_absent(&self, key: &LinkKey) -> Result<(), Error> {
        match self {
            Self::None => Ok(()),
            Self::Exists | Self::OneOf(_) => Err(Error::PreconditionFailed {
                key: key.clone(),
                current: None,
            }),
        }
    }
}
