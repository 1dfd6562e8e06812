//! `get_analytics_counters`

use slugline_application::StatsService;
use slugline_contract::{AnalyticsFilter, Answer, CounterView};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "get_analytics_counters",
        description: "Count visits, distinct visitors and distinct referring \
        hosts, for all links or those that match the filters. Filters take exact values, DE,FR; \
        !DE excludes, (none) is unknown. With id, there is one row per link that has visits. \
        sampling.exact says whether the numbers are counts or estimates. A visit is counted \
        within about a second.",
        needs: StatsService::NEEDS,
        effect: ToolEffect::Reads,
    }
}

pub(super) async fn call(
    context: ToolContext,
    input: AnalyticsFilter,
) -> Result<Answer<CounterView>, Failure> {
    let report = context.stats().counters(input.validate()?).await?;
    Ok(report.into())
}
