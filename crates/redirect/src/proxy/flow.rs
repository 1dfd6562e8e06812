//! Bodies in both directions.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use actix_web::{
    HttpRequest,
    body::{BodySize, MessageBody},
    http::header,
    rt::{self, time::timeout},
    web::{Bytes, Payload},
};
use slugline_domain::{BrokenOff, Flow, Source};
use slugline_httpkit::header as text_header;
use tokio::sync::mpsc;

use super::limits::Slot;

/// The visitor's body, if there is one. Actix keeps it on this thread; a
/// channel carries it to the other side, at most a few pieces ahead. If the
/// visitor sends nothing for `idle`, the body breaks off.
pub(super) fn upload(request: &HttpRequest, mut body: Payload, idle: Duration) -> Option<Flow> {
    let length = text_header(request, "content-length").and_then(|length| length.parse().ok());
    let chunked = request.headers().contains_key(header::TRANSFER_ENCODING);
    if length.unwrap_or(0) == 0 && !chunked {
        return None;
    }
    let (pieces, arriving) = mpsc::channel(4);
    rt::spawn(async move {
        loop {
            let next = poll_fn(|context| poll_payload(&mut body, context));
            let piece = timeout(idle, next).await;
            let Some(piece) = piece.unwrap_or(Some(Err(BrokenOff))) else {
                break;
            };
            let is_last = piece.is_err();
            if pieces.send(piece).await.is_err() || is_last {
                break;
            }
        }
    });
    Some(Flow {
        length,
        source: Box::new(Upload(arriving)),
    })
}

fn poll_payload(
    body: &mut Payload,
    context: &mut Context<'_>,
) -> Poll<Option<Result<Vec<u8>, BrokenOff>>> {
    use futures_core::Stream as _;
    Pin::new(body)
        .poll_next(context)
        .map(|piece| piece.map(|piece| piece.map(Into::into).map_err(|_| BrokenOff)))
}

struct Upload(mpsc::Receiver<Result<Vec<u8>, BrokenOff>>);

impl Source for Upload {
    fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Vec<u8>, BrokenOff>>> {
        self.0.poll_recv(context)
    }
}

/// The destination's body, as actix takes it. It breaks off when either side
/// does nothing for too long. The slot is free once the
/// body has ended. A task of its own carries the body, because actix does not
/// poll it while a visitor does not read.
pub(super) fn download(body: Flow, idle: Duration, slot: Slot) -> Download {
    let length = body.length;
    let (pieces, arriving) = mpsc::channel(1);
    rt::spawn(async move {
        tokio::select! {
            () = carry(body.source, idle, &pieces) => {}
            // The visitor is gone.
            () = pieces.closed() => {}
        }
        drop(slot);
    });
    Download { length, arriving }
}

/// Returns early, without an end, if the body breaks off.
async fn carry(mut source: Box<dyn Source>, idle: Duration, pieces: &mpsc::Sender<Piece>) {
    loop {
        let chunk = timeout(idle, poll_fn(|context| source.poll_chunk(context))).await;
        let piece = match chunk {
            Ok(Some(Ok(bytes))) => Piece::Bytes(bytes.into()),
            Ok(None) => Piece::End,
            Ok(Some(Err(BrokenOff))) | Err(_) => return,
        };
        let is_end = matches!(piece, Piece::End);
        let sent = timeout(idle, pieces.send(piece)).await;
        if is_end || !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

#[derive(Debug)]
enum Piece {
    Bytes(Bytes),
    End,
}

/// Pieces of the destination's body.
pub(super) struct Download {
    length: Option<u64>,
    arriving: mpsc::Receiver<Piece>,
}

impl MessageBody for Download {
    type Error = BrokenOff;

    fn size(&self) -> BodySize {
        self.length.map_or(BodySize::Stream, BodySize::Sized)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, BrokenOff>>> {
        Poll::Ready(match ready!(self.arriving.poll_recv(context)) {
            Some(Piece::Bytes(bytes)) => Some(Ok(bytes)),
            Some(Piece::End) => None,
            None => Some(Err(BrokenOff)),
        })
    }
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}
