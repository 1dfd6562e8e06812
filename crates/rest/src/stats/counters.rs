//! `GET /api/stats/counters`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::{AnalyticsFilter, Answer, CounterView};
use slugline_httpkit::Failure;

use crate::{
    extract::{Query, Statistics},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/stats/counters",
        id: "stats_counters",
        tag: super::TAG,
        summary: "Count visits, visitors and referers",
        description: "Totals from the sampled access log. With `id`, one row per link that has \
                      visits; `sampling` says whether the numbers are exact.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    Statistics(stats): Statistics,
    Query(query): Query<AnalyticsFilter>,
) -> Result<Json<200, Answer<CounterView>>, Failure> {
    let report = stats.counters(query.validate()?).await?;
    Ok(Json(report.into()))
}
