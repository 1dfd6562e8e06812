//! A destination's answer under the short link's address.
//!
//! The destination is a stranger's and the origin is ours, so we choose the headers
//! that cross, in both directions: see `to_destination` and `to_visitor`.

mod caching;
mod flow;
mod limits;
mod to_destination;
mod to_visitor;

use std::{sync::Arc, time::Duration};

use actix_web::{HttpRequest, HttpResponse, web::Payload};
use slugline_domain::{
    FollowedLink, ForwardFailure, ForwardedRequest, UnixSeconds, Uri, ports::Forwarder,
};
use slugline_httpkit::{Code, Edge, Problem, header as text_header};

pub use self::limits::ProxyLimits;
use self::{
    caching::Memory,
    limits::{Slot, Slots, failed},
};
use crate::options::CachePolicy;

#[cfg(feature = "fuzzing")]
pub(crate) use to_visitor::names_a_pdf;

/// Fetches the destinations of proxied links, within limits.
#[derive(Debug)]
pub struct Proxying {
    forwarder: Arc<dyn Forwarder>,
    idle: Duration,
    slots: Arc<Slots>,
}

impl Proxying {
    /// Fetches by this forwarder.
    pub fn new(forwarder: Arc<dyn Forwarder>, limits: ProxyLimits) -> Self {
        Self {
            forwarder,
            idle: limits.idle,
            slots: Slots::new(limits),
        }
    }

    /// Visitors whom the limits have turned away since the start.
    pub fn turned_away(&self) -> u64 {
        self.slots.turned_away()
    }
}

/// A visit to a proxied link, past its gates.
pub(crate) struct Proxied<'v> {
    pub(crate) request: &'v HttpRequest,
    pub(crate) edge: &'v Edge,
    /// `None` if a gate has read the body, and with it the password; then the
    /// target gets a plain GET.
    pub(crate) body: Option<Payload>,
    pub(crate) link: &'v FollowedLink,
    pub(crate) target: &'v Uri<'v>,
    pub(crate) now: UnixSeconds,
    pub(crate) cache: &'v CachePolicy,
}

/// Counts the proxied links that a request has come through, because they may
/// lead to each other in circles.
const HOPS: &str = "x-link-hops";
const MAX_HOPS: u8 = 3;

/// The permission to fetch for a visitor, which takes up a slot while it lasts.
#[derive(Debug)]
pub(crate) struct Admission {
    hops: u8,
    slot: Slot,
}

impl Proxying {
    /// Decides whether to fetch for a visitor, before a visit is counted.
    pub(crate) fn admit(&self, request: &HttpRequest, edge: &Edge) -> Result<Admission, Problem> {
        // A service worker would intercept all requests of its visitors to our
        // origin. Browsers announce the fetch of its script (Service Workers,
        // "Update", step 8).
        if request.headers().contains_key("service-worker") {
            return Err(Problem::new(
                Code::ServiceWorkerNotServed,
                "the script of a service worker cannot come from a proxied link",
            ));
        }
        let hops = text_header(request, HOPS).map_or(0, |hops| hops.parse().unwrap_or(u8::MAX));
        if hops >= MAX_HOPS {
            return Err(failed("proxied links lead to each other"));
        }
        let slot = self.slots.take(edge.client_address(request))?;
        Ok(Admission { hops, slot })
    }
}

/// Fetches the target and passes its answer on.
pub(crate) async fn pass_on(
    proxying: &Proxying,
    Admission { hops, slot }: Admission,
    visit: Proxied<'_>,
) -> Result<HttpResponse, Problem> {
    let Proxied {
        request,
        edge,
        body,
        ..
    } = visit;
    let method = match &body {
        Some(_) => request.method().as_str(),
        None => "GET",
    };
    let mut headers = to_destination::headers(request, edge, body.is_none());
    headers.push((HOPS.to_owned(), (hops + 1).to_string().into_bytes()));
    let message = ForwardedRequest {
        method: method.to_owned(),
        target: visit.target.to_string(),
        headers,
        body: body.and_then(|body| flow::upload(request, body, proxying.idle)),
    };
    let answer = proxying.forwarder.forward(message).await;
    let answer = answer.map_err(|failure| match failure {
        ForwardFailure::NotAllowed => Problem::new(
            Code::ProxyTargetNotAllowed,
            "the destination is not on the public internet",
        ),
        ForwardFailure::Failed(reason) => {
            let key = visit.link.key();
            tracing::info!(key, reason, "a proxied link failed");
            failed("the destination did not answer as it should")
        }
    })?;
    let memory = Memory::of(visit.link, visit.now, visit.cache);
    let head = to_visitor::Head::of(answer.status, answer.headers, memory)?;
    Ok(head.with(flow::download(answer.body, proxying.idle, slot)))
}
