//! Guarded GET requests.

use std::{sync::Arc, time::Duration};

use http_body_util::{BodyExt, Empty};
use hyper::{
    HeaderMap, Request, Response,
    body::{Body, Bytes, Incoming},
    client::conn::http1,
    header::{CONNECTION, HOST, HeaderValue, LOCATION},
};
use hyper_util::rt::TokioIo;
use tokio::{task::JoinSet, time::timeout};
use url::{Position, Url};

use crate::{
    AddressPolicy, Error, PortPolicy, Resolve, SystemResolver, connection, target::Target,
    tls::Trust,
};

/// Bytes that the head of an answer may have. Sites send a few thousand.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Makes requests to URLs that others chose, and keeps them out of networks
/// that are none of their business.
///
/// Every hop is judged: scheme, user information, port, host, and each address
/// of the host, to which it then connects without looking the name up again.
/// No proxy is used, whatever the environment says, and no connection is kept.
#[derive(Clone, Debug)]
pub struct Client {
    policy: Policy,
    resolver: Arc<dyn Resolve>,
    trust: Arc<Trust>,
}

/// What a client may reach. The default is the web ports of the public internet.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Addresses.
    pub addresses: AddressPolicy,
    /// Ports.
    pub ports: PortPolicy,
}

/// A GET request.
#[derive(Clone, Debug)]
pub struct Get {
    /// What to get.
    pub url: Url,
    /// Headers beside the ones that the connection needs. They are sent to
    /// every hop, so none may be a secret.
    pub headers: HeaderMap,
    /// Time for all of it: look-ups, connections, every hop, and the body.
    pub within: Duration,
}

/// An answer with its body.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// Where it came from, after redirects.
    pub url: Url,
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, as it was transferred.
    pub body: Vec<u8>,
}

/// The last hop's answer, whose body is still on its way.
struct Answer {
    url: Url,
    response: Response<Incoming>,
    /// Closes the connection when dropped.
    _connection: JoinSet<()>,
}

impl Client {
    /// Redirects that are followed. Browsers give up after 20 (WHATWG Fetch,
    /// "HTTP-redirect fetch"); each costs us a connection, and half is ample.
    pub const MAX_REDIRECTS: usize = 10;

    /// A client that looks names up as the system does.
    pub fn new(policy: Policy) -> Self {
        Self::with_resolver(policy, Arc::new(SystemResolver))
    }

    /// A client that looks names up elsewhere.
    pub fn with_resolver(policy: Policy, resolver: Arc<dyn Resolve>) -> Self {
        Self {
            policy,
            resolver,
            trust: Arc::default(),
        }
    }

    /// The status at the end of the redirects. The body is not read.
    ///
    /// # Errors
    /// A hop is refused, or there is no answer in time.
    pub async fn status(&self, get: Get) -> Result<u16, Error> {
        let after = get.within;
        let answer = timeout(after, self.follow(get)).await;
        let answer = answer.map_err(|_| Error::TimedOut { after })??;
        Ok(answer.response.status().as_u16())
    }

    /// The answer at the end of the redirects, with a body of at most so many bytes.
    ///
    /// # Errors
    /// A hop is refused, there is no whole answer in time, or it is too large.
    pub async fn fetch(&self, get: Get, max_bytes: usize) -> Result<Fetched, Error> {
        let after = get.within;
        let whole = async {
            let Answer {
                url,
                response,
                _connection,
            } = self.follow(get).await?;
            let (head, body) = response.into_parts();
            Ok(Fetched {
                url,
                status: head.status.as_u16(),
                headers: head.headers,
                body: read(body, max_bytes).await?,
            })
        };
        let fetched = timeout(after, whole).await;
        fetched.map_err(|_| Error::TimedOut { after })?
    }

    async fn follow(&self, get: Get) -> Result<Answer, Error> {
        let mut url = get.url;
        for _ in 0..=Self::MAX_REDIRECTS {
            let answer = self.hop(url, &get.headers).await?;
            match redirect_of(&answer)? {
                Some(next) => url = next,
                None => return Ok(answer),
            }
        }
        let max = Self::MAX_REDIRECTS;
        Err(Error::TooManyRedirects { max })
    }

    async fn hop(&self, url: Url, headers: &HeaderMap) -> Result<Answer, Error> {
        let Policy { addresses, ports } = &self.policy;
        let target = Target::vet(url, addresses, ports)?;
        let request = request(&target.url, headers)?;
        let stream = connection::open(&target, addresses, &*self.resolver, &self.trust).await?;
        let (mut sender, driver) = http1::Builder::new()
            .max_header_size(MAX_HEAD_BYTES)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(Error::Http)?;
        let mut connection = JoinSet::new();
        connection.spawn(async {
            // What goes wrong here, the request is told too.
            let _ = driver.await;
        });
        let response = sender.send_request(request).await.map_err(Error::Http)?;
        Ok(Answer {
            url: target.url,
            response,
            _connection: connection,
        })
    }
}

fn request(url: &Url, headers: &HeaderMap) -> Result<Request<Empty<Bytes>>, Error> {
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let mut request = Request::get(&url[Position::BeforePath..Position::AfterQuery])
        .body(Empty::new())
        .map_err(Error::Unwritable)?;
    let host = HeaderValue::from_str(host).map_err(|error| Error::Unwritable(error.into()))?;
    request.headers_mut().clone_from(headers);
    request.headers_mut().insert(HOST, host);
    request
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(request)
}

/// Where the answer sends us, if it does.
fn redirect_of(answer: &Answer) -> Result<Option<Url>, Error> {
    if !matches!(
        answer.response.status().as_u16(),
        301 | 302 | 303 | 307 | 308
    ) {
        return Ok(None);
    }
    let Some(location) = answer.response.headers().get(LOCATION) else {
        return Ok(None);
    };
    let text = std::str::from_utf8(location.as_bytes()).map_err(|_| Error::BadRedirect)?;
    let next = answer.url.join(text).map_err(|_| Error::BadRedirect)?;
    Ok(Some(next))
}

async fn read(mut body: Incoming, max: usize) -> Result<Vec<u8>, Error> {
    // What is announced as too large is not waited for.
    if body.size_hint().lower() > u64::try_from(max).unwrap_or(u64::MAX) {
        return Err(Error::TooLarge { max });
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(Error::Http)?.into_data() {
            if data.len() > max - bytes.len() {
                return Err(Error::TooLarge { max });
            }
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}
