//! `/api/logs/…`: single visits and their places.

use std::{future, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    web::Bytes,
};
use aide::{generate::GenContext, openapi::MediaType};
use slugline_application::{Caller, SharedFilter, StatsReader, StatsService, TaggedQuery, Watch};
use slugline_contract::{AnalyticsFilter, EventView, LimitedRequest, LocationView, Ranked};
use slugline_domain::VisitFilter;
use slugline_httpkit::{Failure, Guard};
use tokio::time;

use crate::{
    body::Query,
    input::{CalledBy, Context, Statistics},
    openapi::{Responses, documented},
    operation::operations,
    reply::{Json, Reply},
    stats::TAG,
    streamed::{Parts, Sender},
};

operations! { TAG;
    logs_events: GET "/api/logs/events" => events, StatsService::NEEDS,
        [TokenBusy, QueryTimeout, MigrationRequired],
        "List the latest visits",
        "The latest stored visits, newest first. Under load not every visit is stored; `id` stays \
         the same from one request to the next.";
    logs_locations: GET "/api/logs/locations" => locations, StatsService::NEEDS,
        [TokenBusy, QueryTimeout, MigrationRequired],
        "Count visits by place",
        "The places with the most visits, most first. Visits whose place is not known are in no \
         row; `others` counts them, and those of places beyond the limit. Coordinates are rounded \
         to about a kilometre.";
    logs_stream: GET "/api/logs/stream" => watch, StatsService::NEEDS,
        [TooManyWatchers, TokenBusy, MigrationRequired],
        "Watch visits come in",
        "New visits as server-sent events named `visit`, each with the JSON of an item of \
         `/api/logs/events`, once they are stored. For watching, not for counting: of a busy \
         second the first few that match are sent, and one who reads slowly misses some. `tag` \
         stands for the links that have it when the watching begins.";
}

async fn events(
    context: Context,
    Statistics(stats): Statistics,
    Query(query): Query<LimitedRequest>,
) -> Result<Json<200, Vec<EventView>>, Failure> {
    let query = query.check_events(&context.bounds)?;
    let events = stats.events(query).await?;
    Ok(Json(EventView::list(events)))
}

async fn locations(
    context: Context,
    Statistics(stats): Statistics,
    Query(query): Query<LimitedRequest>,
) -> Result<Json<200, Ranked<LocationView>>, Failure> {
    let query = query.check_locations(&context.bounds)?;
    let report = stats.locations(query).await?;
    Ok(Json(report.into()))
}

/// The interval at which proxies and clients get at least one line, so that none closes
/// the connection as dead; many give up after a minute.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The interval at which the caller's token is looked at again.
const ADMISSION: Duration = Duration::from_secs(1);

async fn watch(
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

impl Reply for EventStream {
    fn respond(self, request: &HttpRequest) -> HttpResponse {
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

    fn documented(_: &mut GenContext) -> Responses {
        let content = [("text/event-stream", MediaType::default())];
        documented(200, "Server-sent events", content)
    }
}

/// Ends soon after the caller's token was revoked or has expired.
async fn dismissed(guard: &Guard, caller: &Caller) {
    while guard.still_admits(caller).await {
        time::sleep(ADMISSION).await;
    }
}

/// Keeps the stream to the links that the caller reaches, as links get and lose tags. Ends when
/// they cannot be read, because the links that the caller may see are unknown then.
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
