//! `GET /api/stats/views`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::{Answer, TimeBucket, ViewsRequest};
use slugline_httpkit::Failure;

use crate::{
    extract::{Query, Statistics},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/stats/views",
        id: "stats_views",
        tag: super::TAG,
        summary: "Count visits over time",
        description: "Visits and visitors of each minute, hour or day that has any, in order of \
                      time, on the clock of `clientTimezone`. An hour that a clock shows twice is \
                      one row. `timezone` names the \
                      zone that was used, UTC if you name none.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    Statistics(stats): Statistics,
    Query(query): Query<ViewsRequest>,
) -> Result<Json<200, Answer<TimeBucket>>, Failure> {
    let zone = query.zone();
    let asked = query.validate()?;
    let unit = asked.query.unit;
    let report = stats.views(asked).await?;
    Ok(Json(TimeBucket::answer(unit, report).in_zone(zone)))
}
