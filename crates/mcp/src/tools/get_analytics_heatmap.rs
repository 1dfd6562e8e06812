//! `get_analytics_heatmap`

use slugline_application::StatsService;
use slugline_contract::{Answer, HeatmapRequest, HourView};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "get_analytics_heatmap",
        description: "Count visits and distinct visitors by hour of the week: \
        weekday 1 is Monday, hour 0 begins at midnight, hours without visits are left out. Give \
        clientTimezone to get the user's own clock. Filters take exact values, DE,FR; !DE excludes, \
        (none) is unknown.",
        needs: StatsService::NEEDS,
        effect: ToolEffect::Reads,
    }
}

pub(super) async fn call(
    context: ToolContext,
    input: HeatmapRequest,
) -> Result<Answer<HourView>, Failure> {
    let query = input.validate()?;
    let visits = context.stats().heatmap(query).await;
    Ok(Answer::from(visits?).in_zone(input.zone()))
}
