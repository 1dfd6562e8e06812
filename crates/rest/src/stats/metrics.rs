//! `GET /api/stats/metrics`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::{Answer, MetricView, MetricsRequest};
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
        description: "The values of a property with the most visits, most first.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    context: Context,
    Statistics(stats): Statistics,
    Query(query): Query<MetricsRequest>,
) -> Result<Json<200, Answer<MetricView>>, Failure> {
    let asked = query.validate(&context.rules)?;
    let report = stats.metrics(asked).await?;
    Ok(Json(Answer::from(report).explained(&query)))
}
