//! `/api/stats`: totals of visits, and their erasure.

use slugline_application::{StatsService, VisitErasures};
use slugline_contract::{
    AnalyticsFilter, Answer, CounterView, ErasedVisits, HeatmapRequest, HourView, MetricView,
    MetricsRequest, Ranked, SlugOrId, TimeBucket, ViewsRequest,
};
use slugline_domain::Erasure;
use slugline_httpkit::Failure;

use crate::{
    body::Query,
    input::{ChangedBy, Context, Statistics},
    operation::operations,
    reply::{Either, Json},
};

/// The group of these operations in the document.
pub(crate) const TAG: &str = "Analytics";

// A query about tags needs every link here.
operations! { TAG;
    stats_counters: GET "/api/stats/counters" => counters, StatsService::NEEDS,
        [TokenBusy, QueryTimeout, MigrationRequired],
        "Count visits, visitors and referers",
        "Totals from the sampled access log. With `id`, one row per link that has visits; \
         `sampling` says whether the numbers are exact.";
    stats_views: GET "/api/stats/views" => views, StatsService::NEEDS,
        [TokenBusy, QueryTimeout, MigrationRequired],
        "Count visits over time",
        "Visits and visitors of each minute, hour or day that has any, in order of time, on the \
         clock of `clientTimezone`. An hour that a clock shows twice is one row. `timezone` names \
         the zone that was used, UTC if you name none.";
    stats_metrics: GET "/api/stats/metrics" => metrics, StatsService::NEEDS,
        [TokenBusy, QueryTimeout, MigrationRequired],
        "Count visits by a property",
        "The values of a property with the most visits, most first. Equal numbers are in the order \
         of their names. `others` counts the visits of all values that are left out.";
    stats_heatmap: GET "/api/stats/heatmap" => heatmap, StatsService::NEEDS,
        [TokenBusy, QueryTimeout, MigrationRequired],
        "Count visits by hour of the week",
        "Visits and visitors of each hour of the week that has any, from Monday morning on, on the \
         clock of `clientTimezone`. `timezone` names the zone that was used, UTC if you name none. \
         With `average=true` each row also says how many such hours the time has, and divides by \
         them: 30 days have five of some weekdays.";
    visits_erase: DELETE "/api/stats" => erase, VisitErasures::ERASE, [LinkNotFound],
        "Erase the visits of a link",
        "Erases every visit of a link that was recorded before the answer, for good. Later visits \
         are new, and the link stays. `slug` names a link, `id` also one that no longer exists. \
         200 says that no answer has the visits any more. 202 says that the order is stored and \
         ClickHouse has not carried it out yet; send it again to see whether it has.";
}

async fn counters(
    Statistics(stats): Statistics,
    Query(query): Query<AnalyticsFilter>,
) -> Result<Json<200, Answer<CounterView>>, Failure> {
    let report = stats.counters(query.validate()?).await?;
    Ok(Json(report.into()))
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

async fn metrics(
    context: Context,
    Statistics(stats): Statistics,
    Query(query): Query<MetricsRequest>,
) -> Result<Json<200, Ranked<MetricView>>, Failure> {
    let asked = query.validate(&context.bounds)?;
    let report = stats.metrics(asked).await?;
    Ok(Json(Ranked::from(report).explained(&query)))
}

async fn heatmap(
    Statistics(stats): Statistics,
    Query(query): Query<HeatmapRequest>,
) -> Result<Json<200, Answer<HourView>>, Failure> {
    let report = stats.heatmap(query.validate()?).await?;
    Ok(Json(Answer::from(report).in_zone(query.zone())))
}

async fn erase(
    context: Context,
    ChangedBy(author): ChangedBy,
    Query(query): Query<SlugOrId>,
) -> Result<Either<Json<200, ErasedVisits>, Json<202, ErasedVisits>>, Failure> {
    let which = query.validate()?;
    let (link, erasure) = context.app.erasures.erase(which, &author).await?;
    let shown = ErasedVisits::new(&link, erasure);
    Ok(match erasure {
        Erasure::Done => Either::Left(Json(shown)),
        Erasure::Kept => Either::Right(Json(shown)),
    })
}
