//! `/api/stats`: totals of visits, and their erasure.

use actix_web::http::Method;
use slugline_application::{StatsService, VisitErasures};
use slugline_contract::{
    AnalyticsFilter, Answer, Code, CounterView, EraseVisits, ErasedVisits, HeatmapRequest,
    HourView, MetricView, MetricsRequest, Ranked, TimeBucket, ViewsRequest,
};
use slugline_domain::Erasure;
use slugline_httpkit::Failure;

use crate::{
    body::Query,
    input::{ChangedBy, Context, Statistics},
    operation::{Operation, OperationSpec},
    reply::{Either, Json},
};

/// The group of these operations in the document.
pub(crate) const TAG: &str = "Analytics";

/// The errors of every query. A query about tags needs every link here.
pub(crate) const FAILS: &[Code] = &[Code::TokenBusy, Code::QueryTimeout, Code::MigrationRequired];

/// `GET /api/stats/counters`
pub(crate) fn stats_counters() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Count visits, visitors and referers",
        description: "Totals from the sampled access log. With `id`, one row per link that has \
                      visits; `sampling` says whether the numbers are exact.",
        fails: FAILS,
        ..OperationSpec::new(
            Method::GET,
            "/api/stats/counters",
            "stats_counters",
            StatsService::NEEDS,
        )
    };
    Operation::new(spec, counters)
}

async fn counters(
    Statistics(stats): Statistics,
    Query(query): Query<AnalyticsFilter>,
) -> Result<Json<200, Answer<CounterView>>, Failure> {
    let report = stats.counters(query.validate()?).await?;
    Ok(Json(report.into()))
}

/// `GET /api/stats/views`
pub(crate) fn stats_views() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Count visits over time",
        description: "Visits and visitors of each minute, hour or day that has any, in order of \
                      time, on the clock of `clientTimezone`. An hour that a clock shows twice is \
                      one row. `timezone` names the \
                      zone that was used, UTC if you name none.",
        fails: FAILS,
        ..OperationSpec::new(
            Method::GET,
            "/api/stats/views",
            "stats_views",
            StatsService::NEEDS,
        )
    };
    Operation::new(spec, views)
}

async fn views(
    Statistics(stats): Statistics,
    Query(query): Query<ViewsRequest>,
) -> Result<Json<200, Answer<TimeBucket>>, Failure> {
    let zone = query.zone();
    let asked = query.validate()?;
    let unit = asked.query.unit;
    let report = stats.views(asked).await?;
    Ok(Json(TimeBucket::answer(unit, report).in_zone(zone)))
}

/// `GET /api/stats/metrics`
pub(crate) fn stats_metrics() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Count visits by a property",
        description: "The values of a property with the most visits, most first. Equal numbers are in the \
                      order of their names. `others` counts the visits of all values that are left out.",
        fails: FAILS,
        ..OperationSpec::new(
            Method::GET,
            "/api/stats/metrics",
            "stats_metrics",
            StatsService::NEEDS,
        )
    };
    Operation::new(spec, metrics)
}

async fn metrics(
    context: Context,
    Statistics(stats): Statistics,
    Query(query): Query<MetricsRequest>,
) -> Result<Json<200, Ranked<MetricView>>, Failure> {
    let asked = query.validate(&context.bounds)?;
    let report = stats.metrics(asked).await?;
    Ok(Json(Ranked::from(report).explained(&query)))
}

/// `GET /api/stats/heatmap`
pub(crate) fn stats_heatmap() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Count visits by hour of the week",
        description: "Visits and visitors of each hour of the week that has any, from Monday \
                      morning on, on the clock of `clientTimezone`. `timezone` names the \
                      zone that was used, UTC if you name none. With `average=true` each row also says how many \
                      such hours the time has, and divides by them: 30 days have five of some weekdays.",
        fails: FAILS,
        ..OperationSpec::new(
            Method::GET,
            "/api/stats/heatmap",
            "stats_heatmap",
            StatsService::NEEDS,
        )
    };
    Operation::new(spec, heatmap)
}

async fn heatmap(
    Statistics(stats): Statistics,
    Query(query): Query<HeatmapRequest>,
) -> Result<Json<200, Answer<HourView>>, Failure> {
    let report = stats.heatmap(query.validate()?).await?;
    Ok(Json(Answer::from(report).in_zone(query.zone())))
}

/// `DELETE /api/stats`
pub(crate) fn visits_erase() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Erase the visits of a link",
        description: "Erases every visit of a link that was recorded before the answer, for good. Later \
                      visits are new, and the link stays. `slug` names a link, `id` also one that no \
                      longer exists. 200 says that no answer has the visits any more. 202 says that the \
                      order is stored and ClickHouse has not carried it out yet; send it again to see \
                      whether it has.",
        fails: &[Code::LinkNotFound],
        ..OperationSpec::new(
            Method::DELETE,
            "/api/stats",
            "visits_erase",
            VisitErasures::ERASE,
        )
    };
    Operation::new(spec, erase)
}

async fn erase(
    context: Context,
    ChangedBy(author): ChangedBy,
    Query(query): Query<EraseVisits>,
) -> Result<Either<Json<200, ErasedVisits>, Json<202, ErasedVisits>>, Failure> {
    let which = query.validate()?;
    let (link, erasure) = context.app.erasures.erase(which, &author).await?;
    let shown = ErasedVisits::new(&link, erasure);
    Ok(match erasure {
        Erasure::Done => Either::Left(Json(shown)),
        Erasure::Kept => Either::Right(Json(shown)),
    })
}
