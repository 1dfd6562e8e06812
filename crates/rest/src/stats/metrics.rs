//! `GET /api/stats/metrics`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::{MetricView, MetricsRequest, Ranked};
use slugline_httpkit::Failure;

use crate::{
    extract::{Context, Query, Statistics},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/stats/metrics",
        id: "stats_metrics",
        tag: super::TAG,
        summary: "Count visits by a property",
        description: "The values of a property with the most visits, most first. Equal numbers are in the \
                      order of their names. `others` counts the visits of all values that are left out.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    context: Context,
    Statistics(stats): Statistics,
    Query(query): Query<MetricsRequest>,
) -> Result<Json<200, Ranked<MetricView>>, Failure> {
    let asked = query.validate(&context.rules)?;
    let report = stats.metrics(asked).await?;
    Ok(Json(Ranked::from(report).explained(&query)))
}
