//! State that both sides of actix's HTTP share about a connection.

use std::{cell::Cell, rc::Rc, time::Duration};

/// The progress of a connection's requests. Actix keeps a connection on one thread.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) body_timeout: Duration,
    /// The client has sent bytes of a request that actix has not passed on yet.
    head_has_begun: Cell<bool>,
    /// The service is answering a request.
    answering: Cell<bool>,
    /// The last request has a body that the service has not read to its end.
    body_is_unread: Cell<bool>,
    /// The service has had a request on this connection.
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

    /// Notes a new request; its answer is under way until the caller drops the result.
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

    /// True if the client is sending the head of a second or later request. Actix times the
    /// first one.
    pub(super) fn is_at_a_later_head(&self) -> bool {
        self.served.get() && self.head_has_begun.get() && !self.answering.get()
    }

    /// True if the service answered the last request without reading all of its body. The
    /// connection cannot be used again then.
    pub(super) fn is_over(&self) -> bool {
        self.body_is_unread.get() && !self.answering.get()
    }

    /// True if the client may still be sending bytes that the service does not read.
    pub(super) fn has_unread_bytes(&self) -> bool {
        self.body_is_unread.get() || self.head_has_begun.get()
    }
}

/// Marks a request as being answered until this is dropped.
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
