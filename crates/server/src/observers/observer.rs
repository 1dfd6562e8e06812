//! Observers, and the events that they hear.

use std::borrow::Cow;

use slugline_domain::{AuditedOperation, Author, Dimension, Event, LinkKey, UnixMillis};

/// Hears of what happens. Each observer has a thread of its own, so it may wait, and a queue of
/// 4,096 visits and changes. When the queue is full, the observer misses what happens, and
/// [`Service::unobserved`](crate::Service::unobserved) counts it: observers are for reacting, the
/// access log and the audit trail for keeping.
///
/// An observer that panics hears nothing more; the service goes on.
pub trait Observer: Send + 'static {
    /// A visit was stored. Visits that sampling leaves out are not stored.
    fn visit(&mut self, visit: &ObservedVisit) {
        let _ = visit;
    }

    /// A change of a link by this process was stored: it was made, edited, imported, deleted,
    /// restored or erased, its password got a stronger hash, or it was moved or deleted with its
    /// domain. Changes by other nodes and commands, and links that a migration moves here, stand in
    /// the audit trail only.
    fn change(&mut self, change: &ObservedChange) {
        let _ = change;
    }
}

/// A stored visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedVisit {
    /// The identity of the link.
    pub link_id: String,
    /// The number of real visits that this one stands for: 1, unless the log samples.
    pub stands_for: u32,
    /// The visit, as `/api/logs/events` shows it to the site token.
    pub event: Event,
}

impl ObservedVisit {
    /// The visit's text of a dimension, such as the slug or the country; empty if unknown.
    pub fn value(&self, dimension: Dimension) -> Cow<'_, str> {
        self.event.value(dimension)
    }
}

/// A change of a link that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedChange {
    /// The moment of the change.
    pub at: UnixMillis,
    /// The author of the change, as the audit trail names it.
    pub author: Author,
    /// The kind of the change.
    pub operation: AuditedOperation,
    /// The key of the link. A link that moves to another domain makes two changes: one with its
    /// former key, and one with the new one.
    pub key: LinkKey,
}
