//! `get_analytics_metrics`

use slugline_application::StatsService;
use slugline_contract::{MetricView, MetricsRequest, Ranked};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "get_analytics_metrics",
        description: "Count visits by one property, such as country, referer, \
        browser or slug: the values with the most visits, most first. An empty name means unknown. \
        Give a small limit for a top list; others counts the visits that it leaves out. Filters take exact values, DE,FR; !DE excludes, (none) \
        is unknown; the names found here can be passed to them.",
        needs: StatsService::NEEDS,
        effect: ToolEffect::Reads,
    }
}

pub(super) async fn call(
    context: ToolContext,
    input: MetricsRequest,
) -> Result<Ranked<MetricView>, Failure> {
    let visits = context
        .stats()
        .metrics(input.validate(&context.bounds)?)
        .await?;
    Ok(Ranked::from(visits).explained(&input))
}
