//! `GET /api/stats/heatmap`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::{Answer, HeatmapRequest, HourView};
use slugline_httpkit::Failure;

use crate::{
    extract::{Query, Statistics},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/stats/heatmap",
        id: "stats_heatmap",
        tag: super::TAG,
        summary: "Count visits by hour of the week",
        description: "Visits and visitors of each hour of the week that has any, from Monday \
                      morning on, on the clock of `clientTimezone`. `timezone` names the \
                      zone that was used, UTC if you name none. With `average=true` each row also says how many \
                      such hours the time has, and divides by them: 30 days have five of some weekdays.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    Statistics(stats): Statistics,
    Query(query): Query<HeatmapRequest>,
) -> Result<Json<200, Answer<HourView>>, Failure> {
    let report = stats.heatmap(query.validate()?).await?;
    Ok(Json(Answer::from(report).in_zone(query.zone())))
}
