//! The domain's forwarder, on the guarded client.

use std::{
    fmt,
    pin::Pin,
    sync::Mutex,
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use hyper::{
    HeaderMap, Method,
    body::{Body, Bytes, Frame, SizeHint},
    header::{CONTENT_LENGTH, HeaderName, HeaderValue, LOCATION},
};
use slugline_domain::{
    BrokenOff, Flow, ForwardFailure, ForwardedAnswer, ForwardedRequest, Source, ports::Forwarder,
    with_causes,
};
use url::Url;

use crate::{Answer, Arriving, Client, Error, Outgoing, Request};

/// The time until the head of the answer arrives. Sink's.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Passes visitors' requests on.
///
/// It follows redirects of requests that can be repeated, so that the visitor
/// stays at the short link. It hands other redirects back, with relative ones
/// made absolute.
#[derive(Clone, Debug)]
pub struct HttpForwarder {
    client: Client,
}

impl HttpForwarder {
    /// Forwards with this client.
    pub fn new(client: Client) -> Self {
        Self { client }
    }
}

#[async_trait]
impl Forwarder for HttpForwarder {
    async fn forward(&self, request: ForwardedRequest) -> Result<ForwardedAnswer, ForwardFailure> {
        let failed = |reason: &str| ForwardFailure::Failed(reason.to_owned());
        let url = Url::parse(&request.target).map_err(|_| failed("the target is no URL"))?;
        let method = Method::try_from(request.method.as_str());
        let method = method.map_err(|_| failed("the method is none"))?;
        let reads_head_only = method == Method::HEAD;
        let request = Request {
            method,
            headers: header_map(request.headers),
            body: request.body.map_or_else(Outgoing::default, |flow| {
                Outgoing::arriving(Upload {
                    left: flow.length,
                    source: Mutex::new(flow.source),
                })
            }),
            ..Request::get(url, HEAD_TIMEOUT)
        };
        let answer = self.client.begin(request).await.map_err(|error| {
            if let Error::Refused(_) = error {
                ForwardFailure::NotAllowed
            } else {
                ForwardFailure::Failed(with_causes(&error))
            }
        })?;
        // An unrequested 101 would turn the connection into a tunnel. Hyper
        // itself waits for the final answer after any other 1xx.
        if answer.status < 200 {
            return Err(ForwardFailure::Failed(format!(
                "the status {} is not an answer's",
                answer.status
            )));
        }
        Ok(handed_back(answer, reads_head_only))
    }
}

fn handed_back(answer: Answer, reads_head_only: bool) -> ForwardedAnswer {
    let location = answer.location().ok().flatten();
    let complete = location.and_then(|location| HeaderValue::from_str(location.as_str()).ok());
    let Answer {
        status,
        mut headers,
        body,
        ..
    } = answer;
    if let Some(location) = complete {
        headers.insert(LOCATION, location);
    }
    // Only the head may announce a body that does not come.
    let announced = || headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok();
    let length = if reads_head_only {
        announced()
    } else {
        body.length()
    };
    let lines = headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
    ForwardedAnswer {
        status,
        headers: lines.collect(),
        body: Flow {
            length,
            source: Box::new(body),
        },
    }
}

fn header_map(lines: Vec<(String, Vec<u8>)>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        let name = HeaderName::try_from(name);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    headers
}

impl Source for Arriving {
    fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Vec<u8>, BrokenOff>>> {
        Self::poll_chunk(self, context)
            .map(|chunk| chunk.map(|chunk| chunk.map(Into::into).map_err(|_| BrokenOff)))
    }
}

/// The visitor's body, as hyper takes it.
struct Upload {
    left: Option<u64>,
    /// Never locked: only `get_mut` is used. The mutex makes the type `Sync`,
    /// as hyper requires, without requiring it of sources.
    source: Mutex<Box<dyn Source>>,
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let source = self.source.get_mut().expect("nobody locks it");
        let chunk = std::task::ready!(source.poll_chunk(context));
        if let (Some(left), Some(Ok(bytes))) = (&mut self.left, &chunk) {
            *left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        }
        Poll::Ready(chunk.map(|chunk| chunk.map(|bytes| Frame::data(bytes.into()))))
    }

    fn size_hint(&self) -> SizeHint {
        self.left
            .map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
