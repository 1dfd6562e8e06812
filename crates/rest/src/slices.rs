//! Prepared bytes as the body of an answer, sent in slices.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    body::{BodySize, MessageBody},
    web::Bytes,
};

/// The size of a slice in bytes. Actix copies a whole slice into the connection's buffer,
/// for as long as the client takes to read it.
pub(crate) const SLICE: usize = 16 << 10;

/// Bytes that all requests share.
pub(crate) struct Slices {
    parts: [Bytes; 2],
}

impl Slices {
    /// Makes a body of one part after the other.
    pub(crate) fn of(parts: [Bytes; 2]) -> Self {
        Self { parts }
    }
}

impl MessageBody for Slices {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        let bytes: usize = self.parts.iter().map(Bytes::len).sum();
        BodySize::Sized(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let part = self.parts.iter_mut().find(|part| !part.is_empty());
        let slice = part.map(|part| part.split_to(part.len().min(SLICE)));
        Poll::Ready(slice.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{body::to_bytes, rt::System};

    use super::*;

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
