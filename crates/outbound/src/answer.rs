//! The answer of a server.

use std::{
    borrow::Cow,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use hyper::{
    HeaderMap,
    body::{Body, Bytes, Incoming},
    header::{HeaderValue, LOCATION},
};
use percent_encoding::{CONTROLS, percent_encode};
use tokio::task::JoinSet;
use url::Url;

use crate::Error;

/// An answer whose body is still arriving.
#[derive(Debug)]
pub struct Answer {
    /// The URL that it comes from, after redirects.
    pub url: Url,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as it is transferred.
    pub body: Arriving,
}

impl Answer {
    /// The address that its `Location` leads to.
    ///
    /// # Errors
    /// It is no address.
    pub(crate) fn location(&self) -> Result<Option<Url>, Error> {
        let location = self.headers.get(LOCATION);
        location
            .map(|location| address_in(location, &self.url))
            .transpose()
    }
}

/// The address in a `Location`, seen from this one. What is no UTF-8 is escaped byte by byte, as browsers
/// do: the server that sent the bytes knows them again.
fn address_in(location: &HeaderValue, base: &Url) -> Result<Url, Error> {
    let text = match str::from_utf8(location.as_bytes()) {
        Ok(text) => text.into(),
        Err(_) => Cow::from(percent_encode(location.as_bytes(), CONTROLS)),
    };
    base.join(&text).map_err(|_| Error::BadRedirect)
}

/// An answer with its whole body.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The URL that it came from, after redirects.
    pub url: Url,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as it was transferred.
    pub body: Vec<u8>,
}

/// A body that is still arriving. Dropping it closes the connection.
#[derive(Debug)]
pub struct Arriving {
    body: Incoming,
    _connection: JoinSet<()>,
}

impl Arriving {
    pub(crate) fn new(body: Incoming, connection: JoinSet<()>) -> Self {
        Self {
            body,
            _connection: connection,
        }
    }

    /// The length in bytes, if the server announced it.
    pub fn length(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    /// Polls for the next bytes; `None` at the end.
    ///
    /// # Errors
    /// The connection broke off.
    pub fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        loop {
            let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
            match frame.map(|frame| frame.map(hyper::body::Frame::into_data)) {
                Some(Ok(Ok(data))) => return Poll::Ready(Some(Ok(data))),
                // Trailers.
                Some(Ok(Err(_))) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(Error::Http(error)))),
                None => return Poll::Ready(None),
            }
        }
    }

    /// The whole body, if it has at most so many bytes.
    pub(crate) async fn read(mut self, max: usize) -> Result<Vec<u8>, Error> {
        // Do not wait for a body that is announced as too large.
        if self.body.size_hint().lower() > u64::try_from(max).unwrap_or(u64::MAX) {
            return Err(Error::TooLarge { max });
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = poll_fn(|context| self.poll_chunk(context)).await {
            let chunk = chunk?;
            if chunk.len() > max - bytes.len() {
                return Err(Error::TooLarge { max });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("/café?ü".as_bytes(), "http://a.example/caf%C3%A9?%C3%BC")]
    #[case(b"/caf\xe9?\xfc", "http://a.example/caf%E9?%FC")]
    #[case(b"//b.example/%20\xff", "http://b.example/%20%FF")]
    #[case("//b\u{fc}cher.example/".as_bytes(), "http://xn--bcher-kva.example/")]
    fn an_address_is_read_whatever_bytes_it_has(#[case] sent: &[u8], #[case] expected: &str) {
        let base = Url::parse("http://a.example/x").unwrap();
        let location = HeaderValue::from_bytes(sent).unwrap();
        assert_eq!(address_in(&location, &base).unwrap().as_str(), expected);
    }

    #[test]
    fn a_host_of_such_bytes_is_none() {
        let base = Url::parse("http://a.example/x").unwrap();
        let location = HeaderValue::from_bytes(b"//b\xfccher.example/").unwrap();
        assert!(matches!(
            address_in(&location, &base),
            Err(Error::BadRedirect)
        ));
    }
}
