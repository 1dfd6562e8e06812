//! Bodies that are sent bit by bit, while they are made or from memory.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    HttpResponse,
    body::{BodySize, MessageBody},
    http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE},
    web::Bytes,
};
use slugline_contract::{Code, Problem};
use tokio::sync::mpsc;

/// A body in parts. It is whole only if its end was sent too: the work that sends it may panic.
pub(crate) struct Parts(mpsc::Receiver<SentPart>);

/// Takes the parts of a body.
pub(crate) struct Sender(mpsc::Sender<SentPart>);

/// A part; `None` after the last one.
type SentPart = Result<Option<Bytes>, Problem>;

impl Parts {
    /// Starts work that sends a body. The body ends with the work. If the work fails, the answer
    /// breaks off, which distinguishes it from a complete one. A client that reads slowly slows
    /// down the work; a client that disconnects ends it.
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

/// A file to be saved, which is sent while it is made.
pub(crate) struct Attachment {
    pub(crate) name: String,
    pub(crate) media_type: &'static str,
    pub(crate) parts: Parts,
}

impl Attachment {
    pub(crate) fn into_response(self) -> HttpResponse {
        let disposition = format!("attachment; filename=\"{}\"", self.name);
        HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, self.media_type))
            .insert_header((CONTENT_DISPOSITION, disposition))
            .insert_header((CACHE_CONTROL, "no-store"))
            .body(self.parts)
    }
}

/// The size of a slice in bytes. Actix copies a whole slice into the connection's buffer,
/// for as long as the client takes to read it.
pub(crate) const SLICE: usize = 16 << 10;

/// Prepared bytes that all requests share, sent in slices.
pub(crate) struct Slices([Bytes; 2]);

impl Slices {
    /// Makes a body of one piece after the other.
    pub(crate) fn of(pieces: [Bytes; 2]) -> Self {
        Self(pieces)
    }
}

impl MessageBody for Slices {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        let bytes: usize = self.0.iter().map(Bytes::len).sum();
        BodySize::Sized(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let piece = self.0.iter_mut().find(|piece| !piece.is_empty());
        let slice = piece.map(|piece| piece.split_to(piece.len().min(SLICE)));
        Poll::Ready(slice.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{body::to_bytes, rt::System};

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

    #[test]
    fn slices_are_small_and_make_up_the_whole() {
        let parts = || {
            [
                Bytes::from_static(b"{"),
                Bytes::from(vec![b'x'; 3 * SLICE + 1]),
            ]
        };
        let mut body = Slices::of(parts());
        assert_eq!(body.size(), BodySize::Sized(3 * 16_384 + 2));
        let mut context = Context::from_waker(std::task::Waker::noop());
        while let Poll::Ready(Some(Ok(slice))) = Pin::new(&mut body).poll_next(&mut context) {
            assert!(!slice.is_empty() && slice.len() <= SLICE);
        }
        let whole = System::new()
            .block_on(to_bytes(Slices::of(parts())))
            .unwrap();
        assert_eq!(whole, parts().concat());
    }
}
