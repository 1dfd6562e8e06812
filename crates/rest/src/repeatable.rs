//! Requests that clients may send again under an `Idempotency-Key`, and their answers.

use std::{cell::RefCell, future::Future, pin::Pin, rc::Rc, task};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    dev::Payload,
    error::PayloadError,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue},
    },
    web::Bytes,
};
use aide::{
    OperationInput, OperationOutput,
    generate::GenContext,
    openapi::{Operation, ReferenceOr, Response, StatusCode as DocumentedStatus},
};
use futures_core::Stream;
use sha2::{Digest, Sha256};
use slugline_application::{Caller, Error, Keep, KeyedRequest, Repeated, Repeats};
use slugline_contract::{IDEMPOTENCY_KEY, idempotency_key};
use slugline_domain::KeptAnswer;
use slugline_httpkit::Failure;

use crate::{
    conditional::{document_header, header_parameter},
    extract::media_type,
    reply::{Rendered, Reply},
};

/// Tells that the answer is the one to an earlier request.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A body, and the key of its request if it has one.
pub(crate) struct Repeatable<B> {
    pub(crate) body: B,
    pub(crate) request: Option<KeyedRequest>,
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
        let Some(key) = key else {
            let body = B::from_request(request, payload);
            return Box::pin(async move {
                let (body, request) = (body.await?, None);
                Ok(Self { body, request })
            });
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
            let request = Some(KeyedRequest { key, digest });
            Ok(Self { body, request })
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

/// Makes a change of one transaction, once for all requests with the same key. `show` makes the
/// answer, and `is_kept` tells if an outcome was stored with it.
pub(crate) async fn once<T, R, F>(
    repeats: &Repeats,
    caller: &Caller,
    request: Option<KeyedRequest>,
    show: impl Fn(&T) -> R + Send + Sync + 'static,
    is_kept: impl FnOnce(&T) -> bool,
    change: impl FnOnce(Option<Keep<T>>) -> F,
) -> Result<Once<R>, Failure>
where
    R: Rendered,
    F: Future<Output = Result<T, Error>>,
{
    let Some(request) = request else {
        let outcome = change(None).await?;
        return Ok(Once::Made(show(&outcome)));
    };
    let answer = move |outcome: &T| show(outcome).rendered();
    let change = |keep| change(Some(keep));
    let answered = repeats
        .once(caller, &request, answer, is_kept, change)
        .await?;
    Ok(Once::Kept(answered))
}

/// Does work of many transactions, once for all requests with the same key.
pub(crate) async fn once_at_length<T, R, F>(
    repeats: &Repeats,
    caller: &Caller,
    request: Option<KeyedRequest>,
    show: impl FnOnce(&T) -> R + Send,
    is_final: impl FnOnce(&T) -> bool + Send,
    work: impl FnOnce() -> F + Send,
) -> Result<Once<R>, Failure>
where
    R: Rendered,
    F: Future<Output = Result<T, Error>> + Send,
{
    let Some(request) = request else {
        let outcome = work().await?;
        return Ok(Once::Made(show(&outcome)));
    };
    let answer = |outcome: &T| show(outcome).rendered();
    let answered = repeats.once_at_length(caller, &request, answer, is_final, work);
    Ok(Once::Kept(answered.await?))
}

/// An answer that may be that to an earlier request.
pub(crate) enum Once<R> {
    /// The request has no key.
    Made(R),
    /// The answer is kept under the request's key.
    Kept(Repeated),
}

impl<R: Reply> Reply for Once<R> {}

impl<R: Reply> Responder for Once<R> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let Repeated { answer, again } = match self {
            Self::Made(reply) => return reply.respond_to(request),
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
}

impl<R: OperationOutput> OperationOutput for Once<R> {
    type Inner = R::Inner;

    fn inferred_responses(
        context: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let mut responses = R::inferred_responses(context, operation);
        for (_, response) in &mut responses {
            let description =
                "`true` if an earlier request with the same key got this answer first.";
            let header = ReferenceOr::Item(document_header(description));
            response
                .headers
                .insert("Idempotent-Replayed".into(), header);
        }
        responses
    }
}
