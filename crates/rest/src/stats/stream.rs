//! `GET /api/logs/stream`

use std::{future, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::{
        Method,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    web::Bytes,
};
use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{Operation, Response, StatusCode},
};
use slugline_application::{Caller, SharedFilter, StatsReader, StatsService, TaggedQuery, Watch};
use slugline_contract::{AnalyticsFilter, Code, EventView};
use slugline_domain::VisitFilter;
use slugline_httpkit::{Failure, Guard};
use tokio::time;

use crate::{
    extract::{CalledBy, Context, Query, Statistics},
    operation_spec::OperationSpec,
    parts::{Parts, Sender},
    reply::{Reply, answered_as},
};

/// The interval at which proxies and clients get at least one line, so that none closes
/// the connection as dead; many give up after a minute.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The interval at which the caller's token is looked at again.
const ADMISSION: Duration = Duration::from_secs(1);

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/logs/stream",
        id: "logs_stream",
        tag: super::TAG,
        summary: "Watch visits come in",
        description: "New visits as server-sent events named `visit`, each with the JSON of an item \
                      of `/api/logs/events`, once they are stored. For watching, not for counting: \
                      of a busy second the first few that match are sent, and one who reads slowly \
                      misses some. `tag` stands for the links that have it when the watching begins.",
        needs: StatsService::NEEDS,
        fails: &[
            Code::TooManyWatchers,
            Code::TokenBusy,
            Code::MigrationRequired,
        ],
    }
}

pub(crate) async fn handle(
    context: Context,
    CalledBy(caller): CalledBy,
    Statistics(stats): Statistics,
    Query(query): Query<AnalyticsFilter>,
) -> Result<EventStream, Failure> {
    let asked = query.validate()?;
    let filter = stats.filter(asked.clone()).await?;
    Ok(EventStream {
        watch: context.app.live.watch(&caller, filter)?,
        caller,
        stats,
        asked,
    })
}

/// Server-sent events (WHATWG HTML section 9.2) that do not end by themselves.
pub(crate) struct EventStream {
    watch: Watch,
    caller: Caller,
    stats: StatsReader,
    asked: TaggedQuery<VisitFilter>,
}

impl Reply for EventStream {}

impl Responder for EventStream {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let guard = Guard::of(request).clone();
        let parts = Parts::sent_by(async move |parts| {
            let reach = follow(self.stats, self.asked, self.watch.filter());
            // Whichever ends first ends the answer.
            tokio::select! {
                () = reach => {}
                () = send(self.watch, &parts) => {}
                () = dismissed(&guard, &self.caller) => {}
            }
            Ok(())
        });
        HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, "text/event-stream"))
            .insert_header((CACHE_CONTROL, "no-store"))
            // Without this, nginx holds answers back.
            .insert_header(("x-accel-buffering", "no"))
            .body(parts)
    }
}

/// Ends soon after the caller's token was revoked or has expired.
async fn dismissed(guard: &Guard, caller: &Caller) {
    while guard.still_admits(caller).await {
        time::sleep(ADMISSION).await;
    }
}

/// Keeps the stream to the links that the caller reaches, as links get and lose tags. Ends when
/// they cannot be read, because then nobody knows what the caller may see.
async fn follow(stats: StatsReader, asked: TaggedQuery<VisitFilter>, watched: SharedFilter) {
    if !stats.follows_tags() {
        return future::pending().await;
    }
    loop {
        time::sleep(ADMISSION).await;
        match stats.filter(asked.clone()).await {
            Ok(filter) => watched.replace(filter),
            Err(_) => return,
        }
    }
}

/// Sends events until no more will come or the client is gone.
async fn send(mut watch: Watch, parts: &Sender) {
    // A comment is not an event; this one makes actix send the head of the answer.
    let mut part = Bytes::from_static(b": watching\n\n");
    while parts.send(part).await {
        part = match time::timeout(HEARTBEAT, watch.next()).await {
            Ok(Some(event)) => written(&EventView::one(&event)),
            Ok(None) => return,
            Err(_) => Bytes::from_static(b": still here\n\n"),
        };
    }
}

/// JSON has no line breaks of its own, so it fits in one line of data.
fn written(view: &EventView) -> Bytes {
    let data = serde_json::to_string(view).expect("a view is plain data");
    format!("event: visit\nid: {}\ndata: {data}\n\n", view.id).into()
}

impl OperationOutput for EventStream {
    type Inner = String;

    fn inferred_responses(
        _: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<StatusCode>, Response)> {
        answered_as("text/event-stream", "Server-sent events")
    }
}
