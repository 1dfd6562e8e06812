//! Requests that clients may send again under an `Idempotency-Key`, and their answers.

use std::{cell::RefCell, future::Future, pin::Pin, rc::Rc, task};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse,
    dev::Payload,
    error::PayloadError,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue},
    },
    web::{Bytes, Data},
};
use aide::{OperationInput, generate::GenContext, openapi::Operation};
use futures_core::Stream;
use sha2::{Digest, Sha256};
use slugline_application::{Caller, Error, KeepAnswer, KeyedRequest, Repeated};
use slugline_contract::{IDEMPOTENCY_KEY, idempotency_key};
use slugline_domain::KeptAnswer;
use slugline_httpkit::Failure;

use crate::{
    input::{RestState, known, media_type, state},
    openapi::{Responses, add_header, header_parameter},
    reply::{Rendered, Reply},
};

/// Tells that the answer is the one to an earlier request.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A body, and the key of its request.
pub(crate) struct Repeatable<B> {
    pub(crate) body: B,
    pub(crate) key: Key,
}

/// The key of a caller's request, if it has one.
pub(crate) struct Key {
    state: Data<RestState>,
    caller: Caller,
    request: Option<KeyedRequest>,
}

impl<B> FromRequest for Repeatable<B>
where
    B: FromRequest<Error = Failure> + 'static,
{
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let values = request.headers().get_all(IDEMPOTENCY_KEY);
        let key = match idempotency_key(values.map(HeaderValue::as_bytes)) {
            Ok(key) => key,
            Err(problem) => return Box::pin(async { Err(problem.into()) }),
        };
        let (state, caller) = (state(request).clone(), known(request));
        let keyed = |request| Key {
            state,
            caller,
            request,
        };
        let Some(key) = key else {
            let (body, key) = (B::from_request(request, payload), keyed(None));
            return Box::pin(async move { body.await.map(|body| Self { body, key }) });
        };
        let digest = Rc::new(RefCell::new(of_head(request)));
        let digested = Digested {
            payload: payload.take(),
            digest: Rc::clone(&digest),
        };
        let mut payload: Payload = Payload::Stream {
            payload: Box::pin(digested),
        };
        let body = B::from_request(request, &mut payload);
        Box::pin(async move {
            let body = body.await?;
            let digest = digest.borrow().clone().finalize().into();
            let key = keyed(Some(KeyedRequest { key, digest }));
            Ok(Self { body, key })
        })
    }
}

/// Begins the digest of a request by what is not in its body. No part holds a line break.
fn of_head(request: &HttpRequest) -> Sha256 {
    let mut digest = Sha256::new();
    for part in [
        request.method().as_str(),
        request.path(),
        request.query_string(),
        &media_type(request),
    ] {
        digest.update(part);
        digest.update("\n");
    }
    digest
}

/// A payload that is digested as it is read.
struct Digested {
    payload: Payload,
    digest: Rc<RefCell<Sha256>>,
}

impl Stream for Digested {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
    ) -> task::Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.payload).poll_next(context);
        if let task::Poll::Ready(Some(Ok(part))) = &next {
            self.digest.borrow_mut().update(part);
        }
        next
    }
}

impl<B: OperationInput> OperationInput for Repeatable<B> {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        B::operation_input(context, operation);
        let description = "Makes the request safe to send again: a text of at most 255 characters \
                           that is new with each request, such as a UUID. For 24 hours, the same \
                           token gets the same answer for the same key, route and body, and \
                           nothing is done twice. Errors are not kept.";
        operation
            .parameters
            .push(header_parameter("Idempotency-Key", description));
    }
}

impl Key {
    /// Forgets the key of a request that changes nothing: it may be sent again.
    pub(crate) fn unless(mut self, changes_nothing: bool) -> Self {
        self.request = self.request.filter(|_| !changes_nothing);
        self
    }

    /// Makes a change of one transaction, once for all requests with the same key. `show` makes
    /// the answer, and `is_kept` tells if an outcome was stored with it.
    pub(crate) async fn once<T, R, F>(
        self,
        show: impl Fn(&T) -> R + Send + Sync + 'static,
        is_kept: impl FnOnce(&T) -> bool,
        change: impl FnOnce(Option<KeepAnswer<T>>) -> F,
    ) -> Result<Once<R>, Failure>
    where
        R: Rendered,
        F: Future<Output = Result<T, Error>>,
    {
        let Some(request) = self.request else {
            return Ok(Once::Made(show(&change(None).await?)));
        };
        let repeats = &self.state.app.repeats;
        let answer = move |outcome: &T| show(outcome).rendered();
        let change = |keep| change(Some(keep));
        let answered = repeats.once(&self.caller, &request, answer, is_kept, change);
        Ok(Once::Kept(answered.await?))
    }

    /// Does work of many transactions, once for all requests with the same key.
    pub(crate) async fn once_at_length<T, R, F>(
        self,
        show: impl FnOnce(&T) -> R + Send,
        is_final: impl FnOnce(&T) -> bool + Send,
        work: impl FnOnce() -> F + Send,
    ) -> Result<Once<R>, Failure>
    where
        R: Rendered,
        F: Future<Output = Result<T, Error>> + Send,
    {
        let Some(request) = self.request else {
            return Ok(Once::Made(show(&work().await?)));
        };
        let repeats = &self.state.app.repeats;
        let answer = |outcome: &T| show(outcome).rendered();
        let answered = repeats.once_at_length(&self.caller, &request, answer, is_final, work);
        Ok(Once::Kept(answered.await?))
    }
}

/// An answer that may be that to an earlier request.
pub(crate) enum Once<R> {
    /// The request has no key.
    Made(R),
    /// The answer is kept under the request's key.
    Kept(Repeated),
}

impl<R: Reply> Reply for Once<R> {
    fn respond(self, request: &HttpRequest) -> HttpResponse {
        let Repeated { answer, again } = match self {
            Self::Made(reply) => return reply.respond(request),
            Self::Kept(repeated) => repeated,
        };
        let KeptAnswer {
            status,
            entity_tag,
            body,
        } = answer;
        let status = StatusCode::from_u16(status).expect("only statuses of answers are kept");
        let mut response = HttpResponse::build(status);
        response.insert_header((CONTENT_TYPE, "application/json"));
        response.insert_header((CACHE_CONTROL, "no-store"));
        if let Some(entity_tag) = entity_tag {
            response.insert_header((ETAG, entity_tag));
        }
        if again {
            response.insert_header((REPLAYED, HeaderValue::from_static("true")));
        }
        response.body(body)
    }

    fn documented(context: &mut GenContext) -> Responses {
        let mut responses = R::documented(context);
        let description = "`true` if an earlier request with the same key got this answer first.";
        for (_, response) in &mut responses {
            add_header(response, "Idempotent-Replayed", description);
        }
        responses
    }
}
