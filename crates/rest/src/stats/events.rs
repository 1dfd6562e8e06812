//! `GET /api/logs/events`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::{EventView, LimitedRequest};
use slugline_httpkit::Failure;

use crate::{
    extract::{Context, Query, Statistics},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/logs/events",
        id: "logs_events",
        tag: super::TAG,
        summary: "List the latest visits",
        description: "The latest stored visits, newest first. Under load not every visit is stored; \
                      `id` stays the same from one request to the next.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    context: Context,
    Statistics(stats): Statistics,
    Query(query): Query<LimitedRequest>,
) -> Result<Json<200, Vec<EventView>>, Failure> {
    let query = query.check_events(&context.rules)?;
    let events = stats.events(query).await?;
    Ok(Json(EventView::list(events)))
}
