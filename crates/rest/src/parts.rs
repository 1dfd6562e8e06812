//! Bodies that are sent while they are made.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    body::{BodySize, MessageBody},
    web::Bytes,
};
use slugline_contract::{Code, Problem};
use tokio::sync::mpsc;

/// A body in parts. It is whole only if its end was sent too: the work that sends it may panic.
pub(crate) struct Parts(mpsc::Receiver<Part>);

/// Takes the parts of a body.
pub(crate) struct Sender(mpsc::Sender<Part>);

/// A part; `None` after the last one.
type Part = Result<Option<Bytes>, Problem>;

impl Parts {
    /// Starts work that sends a body. The body ends with the work. If the work fails, the answer
    /// breaks off, which distinguishes it from a complete one. A client that reads slowly slows
    /// down the work.
    pub(crate) fn sent_by<W>(work: impl FnOnce(Sender) -> W) -> Self
    where
        W: Future<Output = Result<(), Problem>> + Send + 'static,
    {
        let (sender, parts) = mpsc::channel(1);
        let work = work(Sender(sender.clone()));
        tokio::spawn(async move {
            let end = work.await.map(|()| None);
            // Fails if the client is gone.
            let _ = sender.send(end).await;
        });
        Self(parts)
    }
}

impl Sender {
    /// Sends a part. Returns `false` if the client is gone.
    pub(crate) async fn send(&self, part: impl Into<Bytes>) -> bool {
        self.0.send(Ok(Some(part.into()))).await.is_ok()
    }
}

impl MessageBody for Parts {
    type Error = Problem;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Problem>>> {
        self.0.poll_recv(context).map(|part| match part {
            Some(part) => part.transpose(),
            None => Some(Err(Problem::new(
                Code::InternalError,
                "the answer broke off",
            ))),
        })
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;

    #[actix_web::test]
    async fn a_body_is_whole_if_its_work_ended_well() {
        let body = Parts::sent_by(async |parts| {
            assert!(parts.send("one, ").await && parts.send("two").await);
            Ok(())
        });
        assert_eq!(to_bytes(body).await.unwrap(), "one, two");
    }

    #[actix_web::test]
    async fn a_body_breaks_off_if_its_work_failed_or_panicked() {
        let failed = Parts::sent_by(async |parts| {
            parts.send("one").await;
            Err(Problem::new(Code::InternalError, "as a test"))
        });
        assert!(to_bytes(failed).await.is_err());
        let panicked = Parts::sent_by(async |parts| {
            parts.send("one").await;
            panic!("as a test")
        });
        assert!(to_bytes(panicked).await.is_err());
    }
}
