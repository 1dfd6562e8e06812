//! What the two sides of actix's HTTP tell each other about a connection.

use std::{cell::Cell, rc::Rc, time::Duration};

/// How far a connection's requests have come. Actix keeps a connection on one
/// thread.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) body_timeout: Duration,
    /// Bytes arrived that belong to no request yet.
    head_has_begun: Cell<bool>,
    /// A request is being answered.
    answering: Cell<bool>,
    /// The last request has a body, and its end was not read.
    body_is_unread: Cell<bool>,
    /// There was a request before.
    served: Cell<bool>,
}

impl Connection {
    pub(super) fn new(body_timeout: Duration) -> Self {
        Self {
            body_timeout,
            head_has_begun: Cell::new(false),
            answering: Cell::new(false),
            body_is_unread: Cell::new(false),
            served: Cell::new(false),
        }
    }

    /// A request arrived; its answer is under way until the result is dropped.
    pub(super) fn begin(self: Rc<Self>, has_body: bool) -> Answering {
        self.head_has_begun.set(false);
        self.answering.set(true);
        self.body_is_unread.set(has_body);
        self.served.set(true);
        Answering(self)
    }

    pub(super) fn bytes_arrived(&self) {
        if !self.answering.get() {
            self.head_has_begun.set(true);
        }
    }

    pub(super) fn body_was_read(&self) {
        self.body_is_unread.set(false);
    }

    pub(super) fn is_receiving_a_body(&self) -> bool {
        self.body_is_unread.get()
    }

    /// Whether the client is at the head of a second or later request. Actix
    /// times the first one.
    pub(super) fn is_at_a_later_head(&self) -> bool {
        self.served.get() && self.head_has_begun.get() && !self.answering.get()
    }

    /// Whether the last request was answered without all of its body. Nothing
    /// of the connection is of use then.
    pub(super) fn is_over(&self) -> bool {
        self.body_is_unread.get() && !self.answering.get()
    }

    /// Whether the client may still be sending what nobody reads.
    pub(super) fn has_unread_bytes(&self) -> bool {
        self.body_is_unread.get() || self.head_has_begun.get()
    }
}

/// A request is being answered for as long as this lives.
#[derive(Debug)]
pub(super) struct Answering(Rc<Connection>);

impl Answering {
    pub(super) fn connection(&self) -> &Rc<Connection> {
        &self.0
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answering.set(false);
    }
}
