//! Requests that come at the same time share a statement.
//!
//! While statements are under way, further requests wait for the next one. No request waits for others
//! to come. The number of lanes bounds the connections that such requests take at a time, however
//! many there are.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// The most requests of a statement.
pub(super) const MOST: usize = 64;

/// Requests that wait for a statement.
#[derive(Debug)]
pub(super) struct Shared<Request, Answer> {
    queue: Mutex<Queue<Request, Answer>>,
    lanes: usize,
}

#[derive(Debug)]
struct Queue<Request, Answer> {
    waiting: Vec<Waiting<Request, Answer>>,
    /// The lanes in use.
    lanes: usize,
}

#[derive(Debug)]
pub(super) struct Waiting<Request, Answer> {
    pub(super) request: Request,
    asker: oneshot::Sender<Answer>,
}

/// The right to run one statement after another.
#[derive(Debug)]
pub(super) struct Lane<Request, Answer> {
    shared: Arc<Shared<Request, Answer>>,
    is_free: bool,
}

impl<Request, Answer> Shared<Request, Answer> {
    /// Lets so many statements be under way at a time.
    pub(super) fn new(lanes: usize) -> Self {
        let waiting = Vec::new();
        Self {
            queue: Mutex::new(Queue { waiting, lanes: 0 }),
            lanes,
        }
    }

    /// Returns the answer to a request. `serve` answers requests of its lane until none waits, in a
    /// task of its own, because this caller may hang up. `None` if that task ended before.
    pub(super) async fn ask<F>(
        self: &Arc<Self>,
        request: Request,
        serve: impl FnOnce(Lane<Request, Answer>) -> F,
    ) -> Option<Answer>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (asker, answer) = oneshot::channel();
        if let Some(lane) = self.add(Waiting { request, asker }) {
            tokio::spawn(serve(lane));
        }
        answer.await.ok()
    }

    fn add(self: &Arc<Self>, waiting: Waiting<Request, Answer>) -> Option<Lane<Request, Answer>> {
        let mut queue = self.lock();
        queue.waiting.push(waiting);
        if queue.lanes == self.lanes {
            return None;
        }
        queue.lanes += 1;
        Some(Lane {
            shared: Arc::clone(self),
            is_free: false,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Queue<Request, Answer>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Request, Answer> Lane<Request, Answer> {
    /// The requests of the next statement. The lane is free when there are none.
    pub(super) fn next(&mut self) -> Option<Vec<Waiting<Request, Answer>>> {
        let mut queue = self.shared.lock();
        queue.waiting.retain(|waiting| !waiting.asker.is_closed());
        if queue.waiting.is_empty() {
            queue.lanes -= 1;
            self.is_free = true;
            return None;
        }
        let count = queue.waiting.len().min(MOST);
        Some(queue.waiting.drain(..count).collect())
    }
}

impl<Request, Answer> Drop for Lane<Request, Answer> {
    fn drop(&mut self) {
        if !self.is_free {
            self.shared.lock().lanes -= 1;
        }
    }
}

impl<Request, Answer> Waiting<Request, Answer> {
    /// Returns once every asker has hung up.
    pub(super) async fn all_hung_up(batch: &mut [Self]) {
        for waiting in batch {
            waiting.asker.closed().await;
        }
    }

    /// Answers, unless the asker has hung up.
    pub(super) fn answer(self, answer: Answer) {
        let _ = self.asker.send(answer);
    }
}
