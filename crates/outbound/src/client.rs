//! Guarded requests.

use std::{mem, sync::Arc};

use hyper::{
    HeaderMap, Method,
    client::conn::http1,
    header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST, HeaderValue, TRANSFER_ENCODING},
};
use hyper_util::rt::TokioIo;
use tokio::{task::JoinSet, time::timeout};
use url::{Position, Url};

use crate::{
    Answer, Error, Fetched, Outgoing, Policy, Redirects, Request, Resolve, SystemResolver,
    accepted_url::AcceptedUrl, answer::Arriving, connection, request::SentBody, tls::Trust,
};

/// The most bytes in the head of an answer. Sites send a few thousand.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// The most bytes that wait unread on a connection: twice a head. Every proxied
/// request that stalls holds as many.
const MAX_BUFFERED_BYTES: usize = 128 * 1024;

/// Makes requests to URLs that others chose, and keeps them out of private
/// networks.
///
/// It checks every hop: scheme, user information, port, host and each address
/// of the host. It then connects to such an address without looking the name up
/// again. It ignores proxies from the environment and keeps no connection open.
#[derive(Clone, Debug)]
pub struct Client {
    policy: Policy,
    resolver: Arc<dyn Resolve>,
    trust: Arc<Trust>,
}

impl Client {
    /// The most redirects that are followed. Browsers give up after 20 (WHATWG
    /// Fetch, "HTTP-redirect fetch"). Each costs us a connection, and half is
    /// ample.
    pub const MAX_REDIRECTS: usize = 10;

    /// A client that uses the system's resolver.
    pub fn new(policy: Policy) -> Self {
        Self::with_resolver(policy, Arc::new(SystemResolver::default()))
    }

    /// A client that uses another resolver.
    pub fn with_resolver(policy: Policy, resolver: Arc<dyn Resolve>) -> Self {
        Self {
            policy,
            resolver,
            trust: Arc::default(),
        }
    }

    /// Returns the answer at the end of the redirects, as soon as its head has
    /// arrived.
    ///
    /// # Errors
    /// A hop is refused, or there is no answer in time.
    pub async fn begin(&self, request: Request) -> Result<Answer, Error> {
        let after = request.timeout;
        let answer = timeout(after, self.follow(request)).await;
        answer.map_err(|_| Error::TimedOut { after })?
    }

    /// Returns the status at the end of the redirects. Does not read the body.
    ///
    /// # Errors
    /// A hop is refused, or there is no answer in time.
    pub async fn status(&self, request: Request) -> Result<u16, Error> {
        Ok(self.begin(request).await?.status)
    }

    /// Returns the answer at the end of the redirects, with a body of at most
    /// so many bytes.
    ///
    /// # Errors
    /// A hop is refused, the answer is not complete in time, or it is too
    /// large.
    pub async fn fetch(&self, request: Request, max_bytes: usize) -> Result<Fetched, Error> {
        let after = request.timeout;
        let whole = async {
            let answer = self.follow(request).await?;
            Ok(Fetched {
                url: answer.url,
                status: answer.status,
                headers: answer.headers,
                body: answer.body.read(max_bytes).await?,
            })
        };
        let fetched = timeout(after, whole).await;
        fetched.map_err(|_| Error::TimedOut { after })?
    }

    async fn follow(&self, mut request: Request) -> Result<Answer, Error> {
        let follows = match self.policy.redirects {
            Redirects::Follow => request.is_repeatable(),
            Redirects::HandBack => false,
        };
        for _ in 0..=Self::MAX_REDIRECTS {
            let Policy {
                addresses, ports, ..
            } = &self.policy;
            let target = AcceptedUrl::vet(request.url.clone(), addresses, ports)?;
            let body = mem::take(&mut request.body);
            let message = message(&request.method, &target.url, &request.headers, body)?;
            let answer = self.hop(target, message).await?;
            if !follows {
                return Ok(answer);
            }
            let Some(next) = redirect_of(&answer)? else {
                return Ok(answer);
            };
            // As in WHATWG Fetch, "HTTP-redirect fetch".
            if next.origin() != answer.url.origin() {
                request.headers.remove(AUTHORIZATION);
            }
            request.url = next;
        }
        let max = Self::MAX_REDIRECTS;
        Err(Error::TooManyRedirects { max })
    }

    async fn hop(
        &self,
        target: AcceptedUrl,
        message: hyper::Request<SentBody>,
    ) -> Result<Answer, Error> {
        let addresses = &self.policy.addresses;
        let stream = connection::open(&target, addresses, &*self.resolver, &self.trust).await?;
        let (mut sender, driver) = http1::Builder::new()
            .max_header_size(MAX_HEAD_BYTES)
            .max_buf_size(MAX_BUFFERED_BYTES)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(Error::Http)?;
        let mut connection = JoinSet::new();
        connection.spawn(async {
            // An error here reaches the request as well.
            let _ = driver.await;
        });
        let response = sender.send_request(message).await.map_err(Error::Http)?;
        let (head, body) = response.into_parts();
        Ok(Answer {
            url: target.url,
            status: head.status.as_u16(),
            headers: head.headers,
            body: Arriving::new(body, connection),
        })
    }
}

fn message(
    method: &Method,
    url: &Url,
    headers: &HeaderMap,
    body: Outgoing,
) -> Result<hyper::Request<SentBody>, Error> {
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let host = HeaderValue::from_str(host).map_err(|error| Error::Unwritable(error.into()))?;
    let mut message = hyper::Request::builder()
        .method(method)
        .uri(&url[Position::BeforePath..Position::AfterQuery])
        .body(body.into_body())
        .map_err(Error::Unwritable)?;
    let all = message.headers_mut();
    all.clone_from(headers);
    // Hyper knows the body, and says where it ends.
    all.remove(CONTENT_LENGTH);
    all.remove(TRANSFER_ENCODING);
    all.insert(HOST, host);
    all.insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(message)
}

/// The URL that the answer redirects to, if it does.
fn redirect_of(answer: &Answer) -> Result<Option<Url>, Error> {
    if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    answer.location()
}
