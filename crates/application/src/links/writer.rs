//! The use cases of links that change something, in the name of an author.

use std::ops::Deref;

use slugline_domain::{AuditNote, Author, Operation};

use super::LinkService;

/// The use cases of links, and those that change links, in the name of an author. Each change
/// leaves a line with the author's name in the audit trail.
#[derive(Clone, Debug)]
pub struct LinkWriter {
    service: LinkService,
    author: Author,
}

impl LinkService {
    /// Returns the use cases that change links in the name of this author.
    pub fn by(&self, author: Author) -> LinkWriter {
        LinkWriter {
            service: self.clone(),
            author,
        }
    }
}

impl LinkWriter {
    /// Returns the note of a change at the present moment.
    pub(super) fn note(&self, operation: Operation) -> AuditNote {
        AuditNote {
            at: self.parts.clock.now(),
            author: self.author.clone(),
            operation,
        }
    }
}

/// Whoever may change links may read them.
impl Deref for LinkWriter {
    type Target = LinkService;

    fn deref(&self) -> &LinkService {
        &self.service
    }
}
