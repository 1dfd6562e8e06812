//! `GET /api/logs/locations`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::{LimitedRequest, LocationView, Ranked};
use slugline_httpkit::Failure;

use crate::{
    extract::{Context, Query, Statistics},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/logs/locations",
        id: "logs_locations",
        tag: super::TAG,
        summary: "Count visits by place",
        description: "The places with the most visits, most first. Visits whose place is not known \
                      are in no row; `others` counts them, and those of places beyond the limit. Coordinates are rounded to about a kilometre.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    context: Context,
    Statistics(stats): Statistics,
    Query(query): Query<LimitedRequest>,
) -> Result<Json<200, Ranked<LocationView>>, Failure> {
    let query = query.check_locations(&context.rules)?;
    let report = stats.locations(query).await?;
    Ok(Json(report.into()))
}
