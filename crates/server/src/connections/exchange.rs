//! A request and its answer, from the connection's point of view.

use std::{
    cell::RefCell,
    future::Future,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, ready},
};

use actix_http::{Request, Response};
use actix_web::{
    Error,
    body::{BodySize, BoxBody, MessageBody},
    dev::{Payload, Service, ServiceResponse},
    web::Bytes,
};
use futures_core::Stream;

use super::{
    connection::{Answering, Connection},
    request_body::{SharedBody, timed},
    request_log::{LoggedRequest, known_method},
};
use crate::{
    metrics::{Measured, WorkerRequests},
    traces::TracedRequest,
};

/// Hands a request to the app.
pub(super) fn begin<S>(
    mut request: Request,
    app: &S,
    logged: bool,
    measured: &Arc<WorkerRequests>,
) -> Exchange<S::Future>
where
    S: Service<Request, Response = ServiceResponse<BoxBody>, Error = Error>,
{
    let connection = request
        .conn_data::<Rc<Connection>>()
        .expect("every connection is watched");
    let connection = Rc::clone(connection);
    let body = request.take_payload();
    // The other kinds are not named: a program that embeds the service may have actix-http with
    // HTTP/2, which has one kind more.
    let body = (!matches!(body, Payload::None)).then(|| Rc::new(RefCell::new(body)));
    let answering = connection.begin(body.is_some());
    if let Some(body) = &body {
        let payload = timed(Rc::clone(body), Rc::clone(answering.connection()));
        *request.payload() = Payload::Stream { payload };
    }
    let logged = logged.then(|| Box::new(LoggedRequest::begin(&request)));
    let measured = Measured::begin(measured, request.path());
    let traced = TracedRequest::begin(&request, || known_method(request.method()));
    // The app may do some of a handler's work in this call.
    let in_trace = traced.enter();
    let entered = logged.as_ref().map(|logged| logged.enter());
    let app = app.call(request);
    drop(entered);
    drop(in_trace);
    Exchange {
        app,
        held: Some(Held { answering, body }),
        logged,
        traced: Some(traced),
        measured,
    }
}

/// A pending answer.
pub(super) struct Exchange<F> {
    app: F,
    held: Option<Held>,
    logged: Option<Box<LoggedRequest>>,
    /// Until the answer has it.
    traced: Option<TracedRequest>,
    measured: Measured,
}

/// The values that must live until the answer is sent.
///
/// Actix depends on the body. If something still holds the body and its end has not arrived,
/// actix closes the connection after the answer. If nothing holds it, actix reads a chunked
/// body for as long as the client sends.
struct Held {
    answering: Answering,
    body: Option<SharedBody>,
}

impl Held {
    /// The whole body may have arrived without a reader. The connection then stays in use.
    fn forget_what_arrived(&self, context: &mut Context<'_>) {
        let Some(body) = &self.body else {
            return;
        };
        if Rc::strong_count(body) > 1 {
            // Its reader continues, for example while a proxied link sends the body.
            return;
        }
        let mut body = body.borrow_mut();
        loop {
            match Pin::new(&mut *body).poll_next(context) {
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(None) => return self.answering.connection().body_was_read(),
                Poll::Ready(Some(Err(_))) | Poll::Pending => return,
            }
        }
    }
}

impl<F> Future for Exchange<F>
where
    F: Future<Output = Result<ServiceResponse<BoxBody>, Error>> + Unpin,
{
    type Output = Result<Response<Answer>, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let in_trace = this.traced.as_ref().map(TracedRequest::enter);
        let entered = this.logged.as_ref().map(|logged| logged.enter());
        let polled = Pin::new(&mut this.app).poll(context);
        drop(entered);
        drop(in_trace);
        let answered = ready!(polled);
        let mut logged = this.logged.take();
        let traced = this.traced.take();
        if let Ok(response) = &answered {
            this.measured.routed(response.request());
        }
        if let Some(traced) = &traced {
            let (request, status) = match &answered {
                Ok(response) => (Some(response.request()), response.status()),
                Err(error) => (None, error.as_response_error().status_code()),
            };
            traced.answered(request, status.as_u16());
        }
        if let (Some(logged), Ok(response)) = (&mut logged, &answered) {
            logged.routed(response.request());
        }
        let mut response: Response<BoxBody> = match answered {
            Ok(response) => response.into(),
            Err(error) => error.into(),
        };
        this.measured.answered(response.status().as_u16());
        if let Some(logged) = &mut logged {
            logged.answered(response.status().as_u16(), response.headers_mut());
        }
        let held = this.held.take();
        if let Some(held) = &held {
            held.forget_what_arrived(context);
        }
        Poll::Ready(Ok(response.map_body(|_, body| Answer {
            body,
            logged,
            traced,
            _held: held,
        })))
    }
}

/// The body of an answer.
pub(super) struct Answer {
    body: BoxBody,
    logged: Option<Box<LoggedRequest>>,
    traced: Option<TracedRequest>,
    _held: Option<Held>,
}

impl MessageBody for Answer {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = &mut *self;
        let _in_trace = this.traced.as_ref().map(TracedRequest::enter);
        let Some(logged) = &mut this.logged else {
            return Pin::new(&mut this.body).poll_next(context);
        };
        let entered = logged.enter();
        let polled = Pin::new(&mut this.body).poll_next(context);
        drop(entered);
        if let Poll::Ready(Some(Ok(piece))) = &polled {
            logged.sent(piece.len());
        }
        polled
    }
}
