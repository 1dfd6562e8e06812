//! The tools that count visits.

use slugline_application::StatsService;
use slugline_contract::{
    AnalyticsFilter, Answer, CounterView, HeatmapRequest, HourView, MetricView, MetricsRequest,
    Ranked, TimeBucket, ViewsRequest,
};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, tools};

tools! {
    get_analytics_counters: StatsService::NEEDS, Reads,
        "Count visits, distinct visitors and distinct referring hosts, for all links or those that \
         match the filters. Filters take exact values, DE,FR; !DE excludes, (none) is unknown. \
         With id, there is one row per link that has visits. sampling.exact says whether the \
         numbers are counts or estimates. A visit is counted within about a second.";
    get_analytics_views: StatsService::NEEDS, Reads,
        "Count visits and distinct visitors of each minute, hour or day that has any, in order of \
         time. Set clientTimezone for rows of the user's own clock; startAt and endAt keep the \
         answer short. Filters take exact values, DE,FR; !DE excludes, (none) is unknown. Visitors \
         of several rows must not be added up.";
    get_analytics_metrics: StatsService::NEEDS, Reads,
        "Count visits by one property, such as country, referer, browser or slug: the values with \
         the most visits, most first. An empty name means unknown. Give a small limit for a top \
         list; others counts the visits that it leaves out. Filters take exact values, DE,FR; !DE \
         excludes, (none) is unknown; the names found here can be passed to them.";
    get_analytics_heatmap: StatsService::NEEDS, Reads,
        "Count visits and distinct visitors by hour of the week: weekday 1 is Monday, hour 0 \
         begins at midnight, hours without visits are left out. Give clientTimezone to get the \
         user's own clock. Filters take exact values, DE,FR; !DE excludes, (none) is unknown.";
}

async fn get_analytics_counters(
    context: ToolContext,
    input: AnalyticsFilter,
) -> Result<Answer<CounterView>, Failure> {
    let report = context.stats().counters(input.validate()?).await?;
    Ok(report.into())
}

async fn get_analytics_views(
    context: ToolContext,
    input: ViewsRequest,
) -> Result<Answer<TimeBucket>, Failure> {
    let asked = input.validate()?;
    let unit = asked.query.unit;
    let report = context.stats().views(asked).await?;
    Ok(TimeBucket::answer(unit, report).in_zone(input.zone()))
}

async fn get_analytics_metrics(
    context: ToolContext,
    input: MetricsRequest,
) -> Result<Ranked<MetricView>, Failure> {
    let asked = input.validate(&context.bounds)?;
    let report = context.stats().metrics(asked).await?;
    Ok(Ranked::from(report).explained(&input))
}

async fn get_analytics_heatmap(
    context: ToolContext,
    input: HeatmapRequest,
) -> Result<Answer<HourView>, Failure> {
    let report = context.stats().heatmap(input.validate()?).await?;
    Ok(Answer::from(report).in_zone(input.zone()))
}
